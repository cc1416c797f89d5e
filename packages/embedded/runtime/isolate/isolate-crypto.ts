import { hash } from "node:crypto";
import { executions, isTransactional } from "../execution/execution.ts";
import { countOperation } from "../execution/operations.ts";
import type { RandomStream } from "../execution/random-stream.ts";
import { onThread } from "../native/cryptography.ts";

const maxRandomBytes = 65_536;

/** Returns the random numbers of the running query or mutation; null in actions. */
export function seededRandom(): RandomStream | null {
  const execution = executions.getStore();
  return execution !== undefined && isTransactional(execution) ? execution.random : null;
}

/** Algorithms with random results, by method. */
const randomized: { readonly [method: string]: RegExp } = {
  generateKey: /^/,
  sign: /^(?:ECDSA|RSA-PSS)$/i,
  encrypt: /^RSA-OAEP$/i,
  wrapKey: /^RSA-OAEP$/i,
};

const shortBytes = 16_384;
const digests: ReadonlyMap<string, string> = new Map([
  ["SHA-1", "sha1"],
  ["SHA-256", "sha256"],
  ["SHA-384", "sha384"],
  ["SHA-512", "sha512"],
]);

const subtleMethods = [
  "decrypt",
  "deriveBits",
  "deriveKey",
  "digest",
  "encrypt",
  "exportKey",
  "generateKey",
  "importKey",
  "sign",
  "unwrapKey",
  "verify",
  "wrapKey",
] as const;

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** Web Crypto that uses the execution's random numbers in queries and mutations. */
export const isolateCrypto = Object.create(Crypto.prototype, {
  subtle: { value: isolateSubtle(), enumerable: true },
  getRandomValues: { value: getRandomValues, enumerable: true },
  randomUUID: { value: () => seededRandom()?.uuid() ?? crypto.randomUUID(), enumerable: true },
}) as { readonly subtle: object };

function getRandomValues<T extends ArrayBufferView<ArrayBuffer>>(array: T): T {
  const random = seededRandom();
  if (random === null) return crypto.getRandomValues(array as never);
  if (array instanceof Float32Array || array instanceof Float64Array) {
    throw new DOMException("The provided ArrayBufferView is not an integer array type", "TypeMismatchError");
  }
  if (array.byteLength > maxRandomBytes) {
    throw new DOMException(`More than ${maxRandomBytes} bytes were asked for`, "QuotaExceededError");
  }
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(random.bytes(array.byteLength));
  return array;
}

function isolateSubtle(): object {
  const methods = subtleMethods.map((name) => [name, { value: guarded(name), enumerable: true }] as const);
  return Object.create(SubtleCrypto.prototype, Object.fromEntries(methods)) as object;
}

function guarded(name: (typeof subtleMethods)[number]): Method {
  const { subtle } = crypto;
  const method = (subtle[name] as unknown as Method).bind(subtle);
  return async (...args) => {
    const execution = executions.getStore();
    if (execution === undefined) return method(...args);
    if (isTransactional(execution) && isRandomized(name, args)) {
      throw new Error(
        "Can't use cryptographic randomness in queries and mutations. Please consider using an action. " +
          "See https://docs.convex.dev/functions/actions for more details.",
      );
    }
    return countOperation(execution, null, async () => {
      const digest = name === "digest" ? shortDigest(args) : null;
      if (digest !== null || !usesThread(name)) return digest ?? method(...args);
      return onThread(execution, args, () => method(...args));
    });
  };
}

function usesThread(method: (typeof subtleMethods)[number]): boolean {
  return method !== "importKey" && method !== "exportKey";
}

/** Hashes short data directly, which is faster than handing it to a thread. Returns null for other input. */
function shortDigest([algorithm, data]: readonly unknown[]): ArrayBuffer | null {
  const digest = typeof algorithm === "string" ? digests.get(algorithm) : undefined;
  if (digest === undefined || !(data instanceof Uint8Array) || data.length > shortBytes) return null;
  if (!(data.buffer instanceof ArrayBuffer)) return null;
  return Uint8Array.from(hash(digest, data, "buffer")).buffer;
}

function isRandomized(method: string, args: readonly unknown[]): boolean {
  const given = args[method === "wrapKey" ? 3 : 0];
  const name: unknown = typeof given === "object" && given !== null ? Reflect.get(given, "name") : given;
  return randomized[method]?.test(typeof name === "string" ? name : "") ?? false;
}
