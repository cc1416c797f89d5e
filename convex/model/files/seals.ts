import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { present, refuse } from "../refuse.ts";
import { base64urlOf } from "../signatures.ts";
import { filesKeyOf } from "../texts/sealedFrames.ts";
import { readingKey, writingKey } from "../texts/storedTexts.ts";
import type { filePart } from "../validators/files.ts";

/** A key for content that is stored now. `filesKey`: that of the organization's files, in base64url. */
export const newSeal = v.object({ keyId: v.id("dataKeys"), filesKey: v.string() });

/** A part of a file with the key that opens it. `seal`: absent if its content is stored as it is. */
export const openPart = v.object({
  storageId: v.id("_storage"),
  bytes: v.number(),
  seal: v.optional(v.object({ filesKey: v.string(), salt: v.string() })),
});
export type OpenPart = Infer<typeof openPart>;

/** A part as its row has it. */
export type StoredPart = Infer<typeof filePart>;

/** The key with which content of an API key's organization is sealed now. Null and refuses as `writingKey`. */
export async function newSealFor(ctx: QueryCtx, keyId: Id<"apiKeys">): Promise<Infer<typeof newSeal> | null> {
  const { organizationId } = present(await ctx.db.get("apiKeys", keyId), "key of a file");
  const key = await writingKey(ctx, organizationId);
  return key === null ? null : { keyId: key.id, filesKey: base64urlOf(filesKeyOf(key.bytes)) };
}

/** Parts with their keys. Null if the data key of one was destroyed: then the file counts as deleted. Refuses as `readingKey`. */
export async function openParts(ctx: QueryCtx, parts: readonly StoredPart[]): Promise<OpenPart[] | null> {
  const filesKeys = new Map<Id<"dataKeys">, string>();
  for (const keyId of keysOf(parts)) {
    const key = await readingKey(ctx, keyId);
    if (key === null) return null;
    filesKeys.set(keyId, base64urlOf(filesKeyOf(key)));
  }
  return parts.map(({ storageId, bytes, seal }) => {
    if (seal === undefined) return { storageId, bytes };
    const filesKey = present(filesKeys.get(seal.keyId) ?? null, "key of a part");
    return { storageId, bytes, seal: { filesKey, salt: seal.salt } };
  });
}

/** Whether nobody can read a file any more, because the data key of a part was destroyed. It needs no master key. */
export async function isDestroyed(ctx: QueryCtx, parts: readonly StoredPart[]): Promise<boolean> {
  const keys = await Promise.all([...keysOf(parts)].map((keyId) => ctx.db.get("dataKeys", keyId)));
  return keys.some((key) => key?.wrapped === undefined);
}

/** The field of a call that names a batch's file of requests. */
export const inputFileParam = "input_file_id";

/** Refuses (invalid) a batch whose file nobody can read any more. */
export function refuseDestroyed(): never {
  const why = "the content of this file was deleted with the organization's data key";
  refuse("invalid", `${inputFileParam}: ${why}.`, inputFileParam);
}

/** The data keys of parts: one, or a few if the organization destroyed one meanwhile. */
function keysOf(parts: readonly StoredPart[]): ReadonlySet<Id<"dataKeys">> {
  return new Set(parts.flatMap(({ seal }) => (seal === undefined ? [] : [seal.keyId])));
}
