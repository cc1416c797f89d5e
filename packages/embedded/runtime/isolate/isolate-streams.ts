import { AsyncLocalStorage } from "node:async_hooks";
import { executions, isTransactional, type TransactionExecution } from "../execution/execution.ts";
import { countOperation } from "../execution/operations.ts";
import { watchElements } from "../native/reserve.ts";
import { tick } from "../native/ticks.ts";

type BlobMethods = {
  readonly stream: (this: Blob) => ReadableStream<Uint8Array>;
  readonly arrayBuffer: (this: Blob) => Promise<ArrayBuffer>;
  readonly bytes: (this: Blob) => Promise<Uint8Array>;
  readonly text: (this: Blob) => Promise<string>;
};

/**
 * Lets a query or a mutation wait for the reading of Blobs that it does not await. Node reads long ones in several turns of the
 * event loop; on Convex they need none. A Blob may contain another one many times, so reading says first how much it needs.
 */
export function countReading(): void {
  const method = <K extends keyof BlobMethods>(name: K): BlobMethods[K] =>
    Reflect.get(Blob.prototype, name) as BlobMethods[K];
  const [stream, arrayBuffer, text] = [method("stream"), method("arrayBuffer"), method("text")];
  const bytes = method("bytes");
  const property = Object.getOwnPropertyDescriptor(Blob.prototype, "size") ?? {};
  const size = Reflect.get(property, "get") as (this: Blob) => number;
  const methods: BlobMethods = {
    stream() {
      const whole = Reflect.apply(stream, this, []);
      const execution = executions.getStore();
      return execution !== undefined && isTransactional(execution) ? counted(whole, execution) : whole;
    },
    async arrayBuffer() {
      const time = executions.getStore()?.time;
      const read = (): Promise<ArrayBuffer> => Reflect.apply(arrayBuffer, this, []);
      return time === undefined ? read() : time.hold(Reflect.apply(size, this, []), read);
    },
    async bytes() {
      const time = executions.getStore()?.time;
      const read = (): Promise<Uint8Array> => Reflect.apply(bytes, this, []);
      return time === undefined ? read() : time.hold(Reflect.apply(size, this, []), read);
    },
    async text() {
      const time = executions.getStore()?.time;
      const length = Reflect.apply(size, this, []);
      const read = (): Promise<string> => Reflect.apply(text, this, []);
      time?.reserve({ buffers: 0, heap: length });
      return time === undefined ? read() : time.hold(length, read);
    },
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(Blob.prototype, name, { value });
}

let watchesLists = false;

/**
 * Lets a stream be ended whose elements a built-in function makes without end: streams that are piped run in microtasks only.
 * Call it before the class is frozen. The backend uses the same class.
 */
export function watchStreamLists(): void {
  if (watchesLists) return;
  watchesLists = true;
  // TypeScript's library has no such function yet.
  const { from: make } = ReadableStream as unknown as { readonly from: (list: unknown) => ReadableStream };
  const from = make.bind(ReadableStream);
  Object.defineProperty(ReadableStream, "from", { value: (list: unknown) => from(watchElements(list)) });
}

function counted(
  stream: ReadableStream<Uint8Array>,
  execution: TransactionExecution,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      type: "bytes",
      async pull(controller) {
        const { done, value } = await countOperation(execution, null, () => reader.read());
        if (!done) {
          controller.enqueue(value as Uint8Array<ArrayBuffer>);
          return;
        }
        controller.close();
        controller.byobRequest?.respond(0);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Callbacks that built-in functions could let a stream call without end. */
const repeated = new Set(["pull", "transform", "write"]);

type StreamConstructor = new (source?: Record<string, unknown>, ...rest: unknown[]) => object;

/**
 * Binds a stream's callbacks to the execution that made the stream. Others may read or write it: the server
 * pulls a response's body long after the handler has returned.
 */
export function bound(stream: unknown, callbacks: readonly string[]): unknown {
  return new Proxy(stream as StreamConstructor, {
    construct(target, [source, ...rest]: [Record<string, unknown>?, ...unknown[]], newTarget) {
      const own = source === undefined ? undefined : boundCallbacks(source, callbacks);
      return Reflect.construct(target, [own, ...rest], newTarget) as object;
    },
  });
}

function boundCallbacks(source: Record<string, unknown>, callbacks: readonly string[]): object {
  const run = AsyncLocalStorage.snapshot();
  const wrapped: Record<string, unknown> = { ...source };
  for (const name of callbacks) {
    const callback = source[name];
    if (typeof callback !== "function") continue;
    wrapped[name] = (...args: unknown[]) =>
      run(() => {
        if (repeated.has(name)) tick();
        return callback.apply(source, args) as unknown;
      });
  }
  return wrapped;
}
