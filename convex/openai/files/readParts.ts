import type { ActionCtx } from "../../_generated/server.js";
import type { OpenPart } from "../../model/files/seals.ts";
import { bytesOf } from "../../model/signatures.ts";
import {
  contentKey,
  type FrameGroup,
  framesAround,
  openFrames,
  sealedLength,
} from "../../model/texts/sealedFrames.ts";

/** A place in content, `to` excluded. */
type Stretch = { readonly from: number; readonly to: number };

/** Content as it is read. Throws if a sealed part was changed. */
export type Chunks = AsyncGenerator<Uint8Array<ArrayBuffer>, void>;

const chunkBytes = 512 * 1024;

/** A stretch of a file's content, in chunks. One part at a time is open. Throws if one is missing or cut off. */
export async function* readParts(
  ctx: Pick<ActionCtx, "storage">,
  parts: readonly OpenPart[],
  { from, to }: Stretch,
): Chunks {
  let start = 0;
  for (const part of parts) {
    const { storageId, bytes } = part;
    const stretch = { from: Math.max(0, from - start), to: Math.min(bytes, to - start) };
    start += bytes;
    if (stretch.from >= stretch.to) continue;
    const blob = await ctx.storage.get(storageId);
    if (blob === null) throw new Error("a part of a file is missing");
    yield* contentIn(blob, part, stretch);
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
  yield* stretchesOf(blob, chunksBetween(from, to));
}

function* chunksBetween(from: number, to: number): Generator<Stretch> {
  for (let at = from; at < to; at += chunkBytes) yield { from: at, to: Math.min(at + chunkBytes, to) };
}

async function* openedIn(blob: Blob, key: Uint8Array, bytes: number, { from, to }: Stretch): Chunks {
  const groups = [...framesAround(from, to)];
  let group = 0;
  for await (const sealed of stretchesOf(blob, groups)) {
    const { first, wanted } = groups[group++] as FrameGroup;
    yield openFrames(key, sealed, { first, bytes }).subarray(wanted.from, wanted.to);
  }
}

/**
 * Stretches of a Blob up to its end, in their order, each in memory of its own. They are read from one stream: on Convex, slices of a stored Blob
 * have wrong bytes. The stream gives its chunks away, so their memory is given back at once. Throws if the Blob is shorter.
 */
async function* stretchesOf(blob: Blob, stretches: Iterable<Stretch>): Chunks {
  const reader = blob.stream().getReader();
  let chunk = new Uint8Array<ArrayBuffer>(new ArrayBuffer(0));
  /** Where the rest of the chunk lies. */
  let at = 0;
  try {
    for (const { from, to: end } of stretches) {
      const to = Math.min(end, blob.size);
      const bytes = new Uint8Array(to - from);
      while (at < to) {
        if (chunk.length === 0) {
          chunk.buffer.transfer(0);
          const read = await reader.read();
          if (read.done) throw new Error("a part of a file was cut off");
          chunk = read.value;
        }
        const [skipped, used] = [Math.max(0, from - at), Math.min(chunk.length, to - at)];
        if (skipped < used) bytes.set(chunk.subarray(skipped, used), at + skipped - from);
        at += used;
        chunk = chunk.subarray(used);
      }
      yield bytes;
    }
  } finally {
    await reader.cancel();
  }
}
