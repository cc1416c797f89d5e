import { executionReserve, lengthOf, reserveElements, reserveVisits, watchList } from "../native/reserve.ts";
import { tick } from "../native/ticks.ts";

/** Lets methods of buffers that may need much say first how much it is. All realms share them with the backend. */
export function limitBuffers(): void {
  limitLength(ArrayBuffer.prototype, ["resize", "transfer", "transferToFixedLength"]);
  limitLength(SharedArrayBuffer.prototype, ["grow"]);
  limitSorting(Object.getPrototypeOf(Uint8Array.prototype) as object);
  limitFrom(Object.getPrototypeOf(Uint8Array) as object);
}

/**
 * Lets typed arrays that are made of a list say first how many elements it has. The method may be the `then` of an object, which V8
 * calls again and again.
 */
function limitFrom(typedArrays: object): void {
  type From = (this: unknown, list: unknown, ...others: unknown[]) => unknown;
  const own = Reflect.get(typedArrays, "from") as From;
  const methods: Readonly<Record<"from", From>> = {
    from(list, ...others) {
      tick();
      reserveElements(lengthOf(list));
      return Reflect.apply(own, this, [watchList(list), ...others]);
    },
  };
  Object.defineProperty(methods.from, "length", { value: own.length });
  Object.defineProperty(typedArrays, "from", { value: methods.from });
}

type Lengthen = (this: unknown, length?: unknown) => unknown;

/** Lets methods that make a buffer longer say first how long it gets. */
function limitLength(prototype: object, names: readonly string[]): void {
  for (const name of names) {
    const own = Reflect.get(prototype, name) as Lengthen;
    const methods: Readonly<Record<string, Lengthen>> = {
      [name](...args) {
        if (typeof args[0] === "number") executionReserve.buffer(args[0], 1);
        return Reflect.apply(own, this, args);
      },
    };
    const value = methods[name] as Lengthen;
    Object.defineProperty(value, "length", { value: own.length });
    Object.defineProperty(prototype, name, { value });
  }
}

/** V8 takes seconds to sort a longer buffer, and no tick is reached. Convex has no room for a larger one. */
const [longestSorted, largestSorted] = [2 ** 25, 2 ** 26];

/** Lets typed arrays refuse to sort very long buffers, unless a function with ticks compares the elements. */
function limitSorting(prototype: object): void {
  type Sort = (this: unknown, compare?: unknown) => unknown;
  const { sort, toSorted } = prototype as { readonly sort: Sort; readonly toSorted: Sort };
  const check = (self: unknown, compare: unknown): void => {
    if (compare !== undefined || !ArrayBuffer.isView(self)) return;
    if (lengthOf(self) > longestSorted || self.byteLength > largestSorted) reserveVisits(Infinity);
  };
  const methods: { readonly [name: string]: Sort } = {
    sort(compare) {
      check(this, compare);
      return Reflect.apply(sort, this, [compare]);
    },
    toSorted(compare) {
      check(this, compare);
      return Reflect.apply(toSorted, this, [compare]);
    },
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(prototype, name, { value });
}
