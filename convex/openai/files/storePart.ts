import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { StoredPart } from "../../model/files/seals.ts";
import { base64urlOf, bytesOf } from "../../model/signatures.ts";
import { contentKey, saltBytes, sealFrames } from "../../model/texts/sealedFrames.ts";
import { type Outcome, outcomeOf } from "../outcome.ts";

/** Stores content as `storeContent`, and adds it by a mutation. If that does not succeed, the content is deleted again. */
export async function storePart<Added>(
  ctx: ActionCtx,
  keyId: Id<"apiKeys">,
  chunks: Iterable<Uint8Array<ArrayBuffer>>,
  add: (part: StoredPart) => Promise<Added>,
): Promise<Outcome<Added>> {
  const part = await storeContent(ctx, keyId, chunks);
  const added = await outcomeOf(add(part));
  if (added.kind !== "ok") await ctx.storage.delete(part.storageId);
  return added;
}

/**
 * Stores content of an API key, sealed if its organization has a data key. Chunks are read one after the other, so that their
 * memory can be given back meanwhile. Refuses (draining) as `writingKey`.
 */
export async function storeContent(
  ctx: ActionCtx,
  keyId: Id<"apiKeys">,
  chunks: Iterable<Uint8Array<ArrayBuffer>>,
): Promise<StoredPart> {
  const newSeal = await ctx.runQuery(internal.files.newSeal, { keyId });
  let bytes = 0;
  function* counted(): Generator<Uint8Array<ArrayBuffer>> {
    for (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const store = async (pieces: Iterable<Uint8Array<ArrayBuffer>>): Promise<Id<"_storage">> => {
    // A Blob copies its bytes, and does not copy other Blobs.
    const blobs = Array.from(pieces, (piece) => new Blob([piece]));
    return await ctx.storage.store(new Blob(blobs));
  };
  if (newSeal === null) return { storageId: await store(counted()), bytes };
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes));
  const key = contentKey(bytesOf(newSeal.filesKey), salt);
  const storageId = await store(sealFrames(key, counted()));
  return { storageId, bytes, seal: { keyId: newSeal.keyId, salt: base64urlOf(salt) } };
}
