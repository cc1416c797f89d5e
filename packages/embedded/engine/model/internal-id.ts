import { randomFillSync } from "node:crypto";

const idBytes = 16;
/** Random bytes are drawn for many ids at once: most of the cost is the call. */
const pool = new Uint8Array(256 * idBytes);
let used = pool.length;

/** The random part of a new document's id: 16 bytes. */
export function newInternalId(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += idBytes;
  return pool.slice(used - idBytes, used);
}
