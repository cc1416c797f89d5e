import { watchList } from "./reserve.ts";

/** Node reads a Blob in a Blob by a function that calls itself. Some more than a thousand fill the stack, which ends the process. */
const deepest = 256;

/** How deep the Blobs in a Blob are in each other; absent for one that contains no other. */
const depths = new WeakMap<object, number>();

type BlobClass = typeof Blob | typeof File;

/** A class of Blobs that can be only so deep in each other. */
export function withFlatBlobs<T extends BlobClass>(api: T): T {
  return new Proxy(api, {
    construct(target, [list, ...others]: readonly unknown[], newTarget) {
      const isList = typeof list === "object" && list !== null && Symbol.iterator in list;
      const parts = isList ? Array.from(watchList(list) as Iterable<unknown>) : list;
      const depth = isList ? depthAround(parts as readonly unknown[]) : 0;
      const blob = Reflect.construct(target as never, [parts, ...others], newTarget) as object;
      if (depth > 0) depths.set(blob, depth);
      return blob;
    },
  });
}

/** The class File, with the same limit. */
export const FlatFile = withFlatBlobs(File);

function depthAround(parts: readonly unknown[]): number {
  let depth = 0;
  for (const part of parts) if (part instanceof Blob) depth = Math.max(depth, 1 + (depths.get(part) ?? 0));
  if (depth > deepest) throw new RangeError(`Only ${String(deepest)} Blobs can be in each other`);
  return depth;
}

/** Call it before V8 copies a value. The copy's depth would be unknown. */
export function refuseNestedBlob(value: object): void {
  if (depths.has(value))
    throw new DOMException("A Blob with another in it cannot be cloned", "DataCloneError");
}

type Methods = Readonly<Record<string, (this: unknown, ...args: never) => unknown>>;

/** Lets Node make no Blob of another without its depth: a part of it, or the file that a form makes of it. */
export function countNestedBlobs(): void {
  const slice = Reflect.get(Blob.prototype, "slice") as (this: unknown, ...args: unknown[]) => Blob;
  replace(Blob.prototype, "slice", {
    slice(...args: readonly unknown[]) {
      const part = Reflect.apply(slice, this, args);
      const depth = depths.get(this as object);
      if (depth !== undefined) depths.set(part, depth);
      return part;
    },
  });
  for (const name of ["append", "set"]) {
    const own = Reflect.get(FormData.prototype, name) as (this: unknown, ...args: unknown[]) => void;
    replace(FormData.prototype, name, {
      [name](...args: readonly unknown[]) {
        const [key, value, fileName] = args;
        Reflect.apply(own, this, value instanceof Blob ? [key, fileOf(value, fileName)] : args);
      },
    });
  }
}

/** A form's file, as the standard has it: a file without a new name stays the same. */
function fileOf(blob: Blob, name: unknown): File {
  if (!(blob instanceof File))
    return new FlatFile([blob], name === undefined ? "blob" : (name as string), { type: blob.type });
  if (name === undefined) return blob;
  return new FlatFile([blob], name as string, { type: blob.type, lastModified: blob.lastModified });
}

function replace(prototype: object, name: string, methods: Methods): void {
  const own = Reflect.get(prototype, name) as object;
  const value = methods[name] as object;
  Object.defineProperty(value, "length", { value: Reflect.get(own, "length") });
  Object.defineProperty(prototype, name, { value });
}
