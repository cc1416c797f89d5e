import type { RandomStream } from "./random-stream.ts";
import { executions, isTransactional } from "./execution.ts";

const MAX_RANDOM_BYTES = 65_536;

/** The random numbers of the query or mutation that runs right now; null in actions. */
export function seededRandom(): RandomStream | null {
  const execution = executions.getStore();
  return execution !== undefined && isTransactional(execution) ? execution.random : null;
}

/** Web Crypto, with the execution's own random numbers in queries and mutations. */
export const isolateCrypto = {
  subtle: crypto.subtle,
  getRandomValues<T extends ArrayBufferView<ArrayBuffer>>(array: T): T {
    const random = seededRandom();
    if (random === null) return crypto.getRandomValues(array as never);
    if (array.byteLength > MAX_RANDOM_BYTES) {
      throw new DOMException(`More than ${MAX_RANDOM_BYTES} bytes were asked for`, "QuotaExceededError");
    }
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(random.bytes(array.byteLength));
    return array;
  },
  randomUUID: (): string => seededRandom()?.uuid() ?? crypto.randomUUID(),
};
