import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";

/** A piece of a file in the file storage. */
export type StoredPart = { readonly storageId: Id<"_storage">; readonly bytes: number };

const chunkBytes = 512 * 1024;

/** The content of a file from one offset to another, in chunks. One part at a time is in memory. Throws if one is missing. */
export async function* readParts(
  ctx: Pick<ActionCtx, "storage">,
  parts: readonly StoredPart[],
  { from, to = Infinity }: { readonly from: number; readonly to?: number },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let start = 0;
  for (const { storageId, bytes } of parts) {
    const [first, end] = [Math.max(0, from - start), Math.min(bytes, to - start)];
    start += bytes;
    if (first >= end) continue;
    const blob = await ctx.storage.get(storageId);
    if (blob === null) throw new Error("a part of a file is missing");
    for (let at = first; at < end; at += chunkBytes) {
      const chunk = blob.slice(at, Math.min(at + chunkBytes, end));
      yield new Uint8Array(await chunk.arrayBuffer());
    }
  }
}
