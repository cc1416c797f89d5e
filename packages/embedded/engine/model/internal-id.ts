import { RandomPool } from "../../values/random-pool.ts";

const idBytes = 16;
const timeBytes = 4;
const pool = new RandomPool(idBytes);

/**
 * The bytes of a new document's id after its table's number: the time in seconds (4 bytes), then random ones (12). So new
 * documents are next to each other in every index that ends with their ids, and a commit writes fewer pages. An id tells when
 * its document was made.
 * @param now ms since the epoch
 */
export function newInternalId(now: number): Uint8Array {
  const id = new Uint8Array(pool.next());
  new DataView(id.buffer).setUint32(0, Math.floor(now / 1_000) % 2 ** (8 * timeBytes));
  return id;
}
