import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";

/** A piece of a file in the file storage. */
export type StoredPart = { readonly storageId: Id<"_storage">; readonly bytes: number };

type Stretch = { readonly from: number; readonly to?: number };

const chunkBytes = 512 * 1024;

/** The content of a file from one offset to another, in chunks. One part at a time is in memory. Throws if one is missing. */
export async function* readParts(
  ctx: Pick<ActionCtx, "storage">,
  parts: readonly StoredPart[],
  stretch: Stretch,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const blob of blobsOf(ctx, parts, stretch)) {
    for (let at = 0; at < blob.size; at += chunkBytes) {
      yield new Uint8Array(await blob.slice(at, at + chunkBytes).arrayBuffer());
    }
  }
}

/** The content of a file from one offset to another, without a copy of the parts. Throws if one is missing. */
export async function blobOf(
  ctx: Pick<ActionCtx, "storage">,
  parts: readonly StoredPart[],
  stretch: Stretch,
): Promise<Blob> {
  const blobs: Blob[] = [];
  for await (const blob of blobsOf(ctx, parts, stretch)) blobs.push(blob);
  return new Blob(blobs);
}

async function* blobsOf(
  ctx: Pick<ActionCtx, "storage">,
  parts: readonly StoredPart[],
  { from, to = Infinity }: Stretch,
): AsyncGenerator<Blob> {
  let start = 0;
  for (const { storageId, bytes } of parts) {
    const [first, end] = [Math.max(0, from - start), Math.min(bytes, to - start)];
    start += bytes;
    if (first >= end) continue;
    const blob = await ctx.storage.get(storageId);
    if (blob === null) throw new Error("a part of a file is missing");
    yield blob.slice(first, end);
  }
}
