import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { StoredPart } from "../../model/files/seals.ts";
import { base64urlOf, bytesOf } from "../../model/signatures.ts";
import { contentKey, saltBytes, sealFrames } from "../../model/texts/sealedFrames.ts";

/** Content is stored in pieces, so that only one is in memory. Convex stores Blobs only, which are in memory as a whole. */
const pieceBytes = 2 * 1024 * 1024;

type Chunks = Iterable<Uint8Array<ArrayBuffer>> | AsyncIterable<Uint8Array<ArrayBuffer>>;

/** Runs work that stores content as these parts. Unless it succeeds, their content is deleted again. */
export async function deleteUnlessOk<Result extends { readonly kind: string }>(
  ctx: ActionCtx,
  parts: readonly StoredPart[],
  work: () => Promise<Result>,
): Promise<Result> {
  let isOk = false;
  try {
    const result = await work();
    isOk = result.kind === "ok";
    return result;
  } finally {
    if (!isOk) for (const { storageId } of parts) await ctx.storage.delete(storageId);
  }
}

/**
 * Stores content of an API key while it comes, sealed if its organization has a data key. Each chunk is read only once the one
 * before it is used. Adds what it stores to `parts`: at least one. Refuses (draining) as `writingKey`.
 */
export async function storeContent(
  ctx: ActionCtx,
  keyId: Id<"apiKeys">,
  chunks: Chunks,
  parts: StoredPart[],
): Promise<void> {
  const newSeal = await ctx.runQuery(internal.files.newSeal, { keyId });
  const source = new PieceSource(chunks);
  do {
    const piece = source.nextPiece();
    if (newSeal === null) {
      const storageId = await storeBlob(ctx, piece);
      parts.push({ storageId, bytes: source.pieceBytes });
    } else {
      const salt = crypto.getRandomValues(new Uint8Array(saltBytes));
      const key = contentKey(bytesOf(newSeal.filesKey), salt);
      const storageId = await storeBlob(ctx, sealFrames(key, piece));
      const seal = { keyId: newSeal.keyId, salt: base64urlOf(salt) };
      parts.push({ storageId, bytes: source.pieceBytes, seal });
    }
  } while (await source.hasMore());
}

async function storeBlob(
  ctx: ActionCtx,
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
): Promise<Id<"_storage">> {
  // A Blob copies its bytes, and does not copy other Blobs.
  const blobs: Blob[] = [];
  for await (const chunk of chunks) blobs.push(new Blob([chunk]));
  return await ctx.storage.store(new Blob(blobs));
}

/** Content that is read in pieces. */
class PieceSource {
  /** Bytes of the present piece so far. */
  pieceBytes = 0;
  readonly #chunks: Iterator<Uint8Array<ArrayBuffer>> | AsyncIterator<Uint8Array<ArrayBuffer>>;
  #rest = new Uint8Array<ArrayBuffer>(new ArrayBuffer(0));
  #isOver = false;

  constructor(chunks: Chunks) {
    this.#chunks =
      Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  }

  async *nextPiece(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    this.pieceBytes = 0;
    while (this.pieceBytes < pieceBytes && (await this.hasMore())) {
      const chunk = this.#rest.subarray(0, pieceBytes - this.pieceBytes);
      this.pieceBytes += chunk.length;
      yield chunk;
      this.#rest = this.#rest.subarray(chunk.length);
    }
  }

  async hasMore(): Promise<boolean> {
    while (this.#rest.length === 0 && !this.#isOver) {
      const next = await this.#chunks.next();
      this.#isOver = next.done === true;
      if (next.done !== true) this.#rest = next.value;
    }
    return !this.#isOver;
  }
}
