import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";

/** A piece of a file in the file storage. */
export type StoredPart = { readonly storageId: Id<"_storage">; readonly bytes: number };

const chunkBytes = 512 * 1024;

type Span = {
  /** From this offset, in bytes. */
  readonly from: number;
  /** Up to this offset. */
  readonly to?: number;
  /** The content of the last part, if it was read already. */
  readonly tail?: Blob;
};

/** The content of a file in chunks. One part at a time is in memory. Throws if one is missing. */
export async function* readParts(
  ctx: Pick<ActionCtx, "storage">,
  parts: readonly StoredPart[],
  { from, to = Infinity, tail }: Span,
): AsyncGenerator<Uint8Array> {
  let start = 0;
  const last = parts.at(-1);
  for (const part of parts) {
    const [first, end] = [Math.max(0, from - start), Math.min(part.bytes, to - start)];
    start += part.bytes;
    if (first >= end) continue;
    const blob = part === last && tail !== undefined ? tail : await ctx.storage.get(part.storageId);
    if (blob === null) throw new Error("a part of a file is missing");
    for (let at = first; at < end; at += chunkBytes) {
      const chunk = blob.slice(at, Math.min(at + chunkBytes, end));
      yield new Uint8Array(await chunk.arrayBuffer());
    }
  }
}
