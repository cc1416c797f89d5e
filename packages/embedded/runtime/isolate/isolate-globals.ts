import { type ActionExecution, executions, isTransactional } from "../execution/execution.ts";
import { countOperation, endOfFetches, neverSettles, whileRunning } from "../execution/operations.ts";
import { isTurnLong, nextTurn } from "../execution/turn-clock.ts";
import { framesHere } from "../execution/uncaught.ts";
import {
  cloneOf,
  limitDecoding,
  limitParameters,
  reserveBody,
  withWatchedHeaders,
  withWatchedList,
} from "../native/long-copies.ts";
import { countNestedBlobs, FlatFile, withFlatBlobs } from "../native/nested-blobs.ts";
import { reserveCoding, reserveTexts, watchList } from "../native/reserve.ts";
import { AsyncLocalStorage, AsyncResource } from "./async-context.ts";
import { limitBuffers } from "./isolate-buffers.ts";
import { isolateCrypto } from "./isolate-crypto.ts";
import { guardListeners } from "./isolate-events.ts";
import { bound, countReading, watchStreamLists } from "./isolate-streams.ts";
import { guardSignals, requestedTimers } from "./isolate-timers.ts";
import { createLogConsole } from "./log-console.ts";
import { freezeWithMethods } from "./protect-backend.ts";

/**
 * Globals to share unchanged. The binary types are included, since the web APIs accept and return those of
 * this realm.
 */
const shared = [
  "AbortController",
  "AbortSignal",
  "Blob",
  "Crypto",
  "CryptoKey",
  "CustomEvent",
  "DOMException",
  "Event",
  "EventTarget",
  "File",
  "FormData",
  "Headers",
  "Request",
  "Response",
  "SubtleCrypto",
  "URL",
  "URLSearchParams",
  "TextDecoder",
  "TextDecoderStream",
  "TextEncoder",
  "TextEncoderStream",
  "ByteLengthQueuingStrategy",
  "CountQueuingStrategy",
  "ReadableByteStreamController",
  "ReadableStreamBYOBReader",
  "ReadableStreamBYOBRequest",
  "ReadableStreamDefaultController",
  "ReadableStreamDefaultReader",
  "TransformStreamDefaultController",
  "WritableStreamDefaultController",
  "WritableStreamDefaultWriter",
  "ArrayBuffer",
  "SharedArrayBuffer",
  "DataView",
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "Float32Array",
  "Float64Array",
  "BigInt64Array",
  "BigUint64Array",
  "atob",
  "btoa",
  "structuredClone",
] as const;

/** The functions' console: lines go to the call's log, never to this process's output. */
const isolateConsole = createLogConsole(() => executions.getStore()?.context, framesHere);

/**
 * Creates the globals of Convex's default runtime, besides JavaScript's own. What code may replace or extend is not shared
 * with other realms.
 * @param now the time that the running function sees
 */
export function sharedGlobals(
  env: () => { readonly [name: string]: string },
  now: () => number,
): { [name: string]: unknown } {
  return {
    ...webApis(),
    File: withTime(FlatFile, now),
    fetch: (...args: Parameters<typeof fetch>) => guardedFetch(...args),
    console: { ...isolateConsole },
    crypto: isolateCrypto,
    process: { env: environmentProxy(env) },
    ...requestedTimers,
  };
}

type Globals = { readonly [name: string]: unknown };

let madeApis: Globals | null = null;

function webApis(): Globals {
  const here = globalThis as unknown as Globals;
  if (madeApis !== null) return madeApis;
  guardListeners();
  // Convex's URL has neither. What they register stays in the memory of the process.
  for (const name of ["createObjectURL", "revokeObjectURL"]) Reflect.deleteProperty(URL, name);
  limitBuffers();
  countReading();
  watchStreamLists();
  limitParameters();
  limitDecoding();
  countNestedBlobs();
  guardSignals();
  const given = Object.fromEntries(shared.map((name) => [name, here[name]]));
  const own = { ...given, structuredClone: cloneOf, AsyncLocalStorage, AsyncResource };
  for (const each of [isolateCrypto, isolateCrypto.subtle, requestedTimers, isolateConsole])
    freezeWithMethods(each);
  const streams = [ReadableStream, WritableStream, TransformStream];
  const flatBlobs = withFlatBlobs(withWatchedList(Blob));
  for (const { prototype } of streams) allowOwnConstructor(prototype);
  allowOwnConstructor(Blob.prototype, flatBlobs);
  Object.defineProperty(File.prototype, "constructor", { value: FlatFile });
  // The base of all typed arrays has no global name.
  const classes = [...streams, Object.getPrototypeOf(Uint8Array) as unknown];
  for (const api of [...Object.values(own), ...classes]) freezeClass(api as object);
  madeApis = {
    ...own,
    Blob: flatBlobs,
    Headers: withWatchedList(Headers),
    Request: withCredentials(Request),
    Response: withAnyStatus(Response),
    ReadableStream: bound(ReadableStream, ["start", "pull", "cancel"]),
    WritableStream: bound(WritableStream, ["start", "write", "close", "abort"]),
    TransformStream: bound(TransformStream, ["start", "transform", "flush", "cancel"]),
    URLSearchParams: withWatchedList(URLSearchParams),
  };
  return madeApis;
}

/** All realms and the backend use the same class, so nobody may change it, its methods, or what they remember. */
function freezeClass(api: object): void {
  freezeWithMethods(api);
  if ("prototype" in api) freezeWithMethods(api.prototype as object);
}

/** Node sets the constructor of some streams, and of a file's Blob, which fails if they inherit it as a frozen property. */
function allowOwnConstructor(prototype: object, constructor = prototype.constructor): void {
  Object.defineProperty(prototype, "constructor", {
    get: () => constructor,
    set(this: object, value: unknown) {
      if (this === prototype) throw new TypeError("The classes of the web APIs cannot be changed.");
      Object.defineProperty(this, "constructor", { value, writable: true, configurable: true });
    },
  });
}

async function guardedFetch(...args: Parameters<typeof fetch>): Promise<Response> {
  const execution = executions.getStore();
  if (execution !== undefined && isTransactional(execution)) {
    throw new Error(
      "Can't use fetch() in queries and mutations. Please consider using an action. " +
        "See https://docs.convex.dev/functions/actions for more details.",
    );
  }
  const own = authorized(args);
  if (execution === undefined) return fetch(...own);
  if (execution.ended) return neverSettles();
  return whileRunning(
    execution,
    countOperation(execution, "fetch", () => fetchUntilEnd(execution, own)),
  );
}

/** Fetches until the action ends. Nothing else could run during many fetches that Node answers itself. */
async function fetchUntilEnd(action: ActionExecution, [input, init]: RequestArgs): Promise<Response> {
  reserveBody(init?.body);
  // Node decodes addresses that are data.
  if (typeof input === "string") reserveCoding(input);
  const request = new Request(input, withWatchedHeaders(init));
  if (isTurnLong()) await nextTurn();
  return fetch(request, { signal: AbortSignal.any([request.signal, endOfFetches(action)]) });
}

type RequestArgs = ConstructorParameters<typeof Request>;

/** Node refuses an address with a user and a password. Convex sends them as the header "Authorization". */
function authorized(args: RequestArgs): RequestArgs {
  const [input, init] = args;
  const address = input instanceof URL ? input.href : input;
  if (typeof address !== "string" || !address.includes("@") || !URL.canParse(address)) return args;
  const url = new URL(address);
  const { username, password } = url;
  if (username === "" && password === "") return args;
  Object.assign(url, { username: "", password: "" });
  const headers = new Headers(init?.headers);
  const secret = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64");
  if (!headers.has("Authorization")) headers.set("Authorization", `Basic ${secret}`);
  return [url, Object.create(init ?? null, { headers: { value: headers } }) as RequestInit];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withCredentials(request: typeof Request): typeof Request {
  return new Proxy(request, {
    construct(target, args: RequestArgs, newTarget) {
      reserveBody(args[1]?.body);
      const [input, init] = authorized(args);
      return Reflect.construct(target, [input, withWatchedHeaders(init)], newTarget) as object;
    },
  });
}

/** Statuses of answers that have no body. */
const bodilessStatuses = new Set<unknown>([204, 205, 304]);

/** Convex drops the body of an answer that has none. Node refuses even an empty text. */
function withAnyStatus(response: typeof Response): typeof Response {
  return new Proxy(response, {
    construct(target, args: ConstructorParameters<typeof Response>, newTarget) {
      const [body, init] = args;
      const own = bodilessStatuses.has(init?.status) ? null : body;
      reserveBody(own);
      return Reflect.construct(target, [own, withWatchedHeaders(init)], newTarget) as object;
    },
  });
}

/** Without a time of its own, a file has the time that its function sees. */
function withTime(file: typeof File, now: () => number): typeof File {
  return new Proxy(file, {
    construct(target, args: unknown[], newTarget) {
      const [bits, name, options] = args;
      reserveTexts(bits);
      const isRefused = args.length < 2 || (options != null && typeof options !== "object");
      const own = isRefused ? args : [watchList(bits), name, timed(options ?? {}, now)];
      return Reflect.construct(target, own, newTarget) as object;
    },
  });
}

function timed(options: FilePropertyBag, now: () => number): FilePropertyBag {
  if (options.lastModified !== undefined) return options;
  return Object.create(options, { lastModified: { value: now() } }) as FilePropertyBag;
}

// Reads the variables at each access: they may change while the backend runs, and its own URLs are known late. As on Convex,
// nothing lists or prints them.
function environmentProxy(env: () => { readonly [name: string]: string }): object {
  const read = (name: string): unknown =>
    Object.hasOwn(env(), name) ? env()[name] : name === "inspect" ? () => "[process.env]" : undefined;
  return new Proxy({}, { get: (_, name) => (typeof name === "string" ? read(name) : undefined) });
}
