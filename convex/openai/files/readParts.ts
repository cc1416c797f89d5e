import type { ActionCtx } from "../../_generated/server.js";
import type { OpenPart } from "../../model/files/seals.ts";
import { bytesOf } from "../../model/signatures.ts";
import { contentKey, framesAround, openFrames, sealedLength } from "../../model/texts/sealedFrames.ts";

/** A place in content, `to` excluded. */
type Stretch = { readonly from: number; readonly to: number };

/** Content as it is read. Throws if a sealed part was changed. */
export type Chunks = AsyncGenerator<Uint8Array<ArrayBuffer>, void>;

const chunkBytes = 512 * 1024;

/** The content of a file behind an offset, in chunks. One part at a time is in memory. Throws if one is missing or cut off. */
export async function* readParts(
  ctx: Pick<ActionCtx, "storage">,
  parts: readonly OpenPart[],
  from: number,
): Chunks {
  for await (const chunks of contentsOf(ctx, parts, { from, to: Infinity })) yield* chunks;
}

/** A stretch of a file. All its parts are there when this resolves. Throws if one is missing or cut off. */
export async function openStretch(
  ctx: Pick<ActionCtx, "storage">,
  parts: readonly OpenPart[],
  stretch: Stretch,
): Promise<Chunks> {
  const contents: Chunks[] = [];
  for await (const chunks of contentsOf(ctx, parts, stretch)) contents.push(chunks);
  return oneAfterTheOther(contents);
}

async function* oneAfterTheOther(contents: readonly Chunks[]): Chunks {
  for (const chunks of contents) yield* chunks;
}

async function* contentsOf(
  ctx: Pick<ActionCtx, "storage">,
  parts: readonly OpenPart[],
  { from, to }: Stretch,
): AsyncGenerator<Chunks, void> {
  let start = 0;
  for (const part of parts) {
    const { storageId, bytes } = part;
    const stretch = { from: Math.max(0, from - start), to: Math.min(bytes, to - start) };
    start += bytes;
    if (stretch.from >= stretch.to) continue;
    const blob = await ctx.storage.get(storageId);
    if (blob === null) throw new Error("a part of a file is missing");
    yield contentIn(blob, part, stretch);
  }
}

/** A stretch of a part's content. @param blob as it is stored. Throws if it was cut off. */
export function contentIn(blob: Blob, { bytes, seal }: OpenPart, stretch: Stretch): Chunks {
  const isWhole = blob.size === (seal === undefined ? bytes : sealedLength(bytes));
  if (!isWhole) throw new Error("a part of a file was cut off");
  if (seal === undefined) return plainIn(blob, stretch);
  return openedIn(blob, contentKey(bytesOf(seal.filesKey), bytesOf(seal.salt)), bytes, stretch);
}

async function* plainIn(blob: Blob, { from, to }: Stretch): Chunks {
  for (let at = from; at < to; at += chunkBytes) {
    yield new Uint8Array(await blob.slice(at, Math.min(at + chunkBytes, to)).arrayBuffer());
  }
}

async function* openedIn(blob: Blob, key: Uint8Array, bytes: number, { from, to }: Stretch): Chunks {
  for (const { first, wanted, ...place } of framesAround(from, to)) {
    const sealed = new Uint8Array(await blob.slice(place.from, place.to).arrayBuffer());
    yield openFrames(key, sealed, { first, bytes }).subarray(wanted.from, wanted.to);
  }
}
