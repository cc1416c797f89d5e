import { type Infer, type ObjectType, v } from "convex/values";
import { batchLimits } from "../../../app/batches/limits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { present, refuse, refuseUntil } from "../refuse.ts";
import { uploadStatus } from "../validators/files.ts";
import { addFile, checkRoom, fileView, fileViewOf } from "./files.ts";
import type { StoredPart } from "./seals.ts";

/** A file that comes in parts, as its requester sees it. Times are ms epoch. `file`: once it is completed. */
export const uploadView = v.object({
  uploadId: v.id("uploads"),
  name: v.string(),
  bytes: v.number(),
  status: uploadStatus,
  createdAt: v.number(),
  expiresAt: v.number(),
  file: v.union(fileView, v.null()),
});
export type UploadView = Infer<typeof uploadView>;

async function viewOf(ctx: QueryCtx, upload: Doc<"uploads">): Promise<UploadView> {
  const { _id: uploadId, name, bytes, status, createdAt, expiresAt, fileId } = upload;
  const file = fileId === undefined ? null : await ctx.db.get("files", fileId);
  return {
    uploadId,
    name,
    bytes,
    status,
    createdAt,
    expiresAt,
    file: file === null ? null : fileViewOf(file),
  };
}

export const newUpload = { name: v.string(), bytes: v.number(), keptSeconds: v.optional(v.number()) };

const openForMs = 3_600_000;

/** Announces a file in parts. Refuses: quota_exceeded (no room for it), queue_full (too many are open). */
export async function createUpload(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  asked: ObjectType<typeof newUpload>,
  now: number,
): Promise<UploadView> {
  const open = await openUploadsOf(ctx, key);
  if (open.length >= batchLimits.openUploads) {
    const why = `This API key has ${String(open.length)} uploads that are not completed, which is the most.`;
    refuseUntil("queue_full", why, openForMs);
  }
  await checkRoom(
    ctx,
    key,
    open.reduce((sum, { bytes }) => sum + bytes, asked.bytes),
  );
  const row = {
    ...asked,
    apiKeyId: key._id,
    status: "pending" as const,
    createdAt: now,
    expiresAt: now + openForMs,
  };
  const uploadId = await ctx.db.insert("uploads", row);
  return await viewOf(ctx, { ...row, _id: uploadId, _creationTime: now });
}

async function openUploadsOf(ctx: QueryCtx, { _id }: Doc<"apiKeys">): Promise<Doc<"uploads">[]> {
  return await ctx.db
    .query("uploads")
    .withIndex("by_key", (q) => q.eq("apiKeyId", _id).eq("status", "pending"))
    .take(batchLimits.openUploads);
}

/** The key's upload with this id. Refuses: not_found, also for another key's. */
export async function ownUpload(ctx: QueryCtx, key: Doc<"apiKeys">, id: string): Promise<Doc<"uploads">> {
  const uploadId = ctx.db.normalizeId("uploads", id);
  const upload = uploadId === null ? null : await ctx.db.get("uploads", uploadId);
  return upload?.apiKeyId === key._id ? upload : refuse("not_found", "There is no such upload.");
}

async function partsOf(ctx: QueryCtx, uploadId: Id<"uploads">): Promise<Doc<"uploadParts">[]> {
  return await ctx.db
    .query("uploadParts")
    .withIndex("by_upload", (q) => q.eq("uploadId", uploadId))
    .take(batchLimits.uploadParts);
}

/** The stored pieces of a part. */
function piecesOf({ storageId, bytes, seal, more = [] }: Doc<"uploadParts">): StoredPart[] {
  return [{ storageId, bytes, ...(seal === undefined ? {} : { seal }) }, ...more];
}

function bytesOf(pieces: readonly StoredPart[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * OpenAI's SDKs try three times to send a part. Each try that got no answer may have stored it. So the stored parts may have three times
 * the bytes that the upload announced. The parts of the completed file have exactly as many as announced.
 */
const mostTries = 3;

/**
 * Adds a part, whose pieces are stored. Refuses: invalid (the upload has ended, or its parts have far more than it announced). The caller then
 * deletes the pieces.
 */
export async function addPart(
  ctx: MutationCtx,
  upload: Doc<"uploads">,
  pieces: readonly StoredPart[],
  now: number,
): Promise<Id<"uploadParts">> {
  refuseEnded(upload, now);
  const parts = await partsOf(ctx, upload._id);
  if (parts.length === batchLimits.uploadParts) {
    refuse("invalid", `An upload has at most ${String(batchLimits.uploadParts)} parts.`);
  }
  const own = bytesOf(pieces);
  const all = bytesOf(parts.flatMap(piecesOf)) + own;
  if (own > upload.bytes) refuseBytes("The part has", own, upload);
  if (all > mostTries * upload.bytes) refuseBytes("The parts have", all, upload);
  const [first, ...more] = pieces;
  return await ctx.db.insert("uploadParts", {
    uploadId: upload._id,
    ...present(first ?? null, "first piece of a part"),
    ...(more.length === 0 ? {} : { more }),
  });
}

function refuseBytes(who: string, bytes: number, { bytes: announced }: Doc<"uploads">): never {
  return refuse("invalid", `${who} ${String(bytes)} bytes, and the upload announced ${String(announced)}.`);
}

function refuseEnded({ status, expiresAt }: Doc<"uploads">, now: number): void {
  if (status !== "pending") refuse("invalid", `The upload has ended: it is ${status}.`);
  if (now >= expiresAt) refuse("invalid", "The upload has ended: it is open for an hour.");
}

/**
 * Makes a file of parts in the given order. A repeated call gets the same file. Refuses: not_found (a part), invalid (the upload
 * has ended, or its parts have other bytes than it announced), quota_exceeded.
 */
export async function completeUpload(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  upload: Doc<"uploads">,
  partIds: readonly string[],
  now: number,
): Promise<UploadView> {
  if (upload.status === "completed") return await viewOf(ctx, upload);
  refuseEnded(upload, now);
  const parts = await partsOf(ctx, upload._id);
  const wanted = partIds.map(
    (id) =>
      parts.find(({ _id }) => _id === id) ??
      refuse("not_found", "part_ids: there is no such part.", "part_ids"),
  );
  if (new Set(partIds).size < partIds.length)
    refuse("invalid", "part_ids: a part is there twice.", "part_ids");
  const stored = wanted.flatMap(piecesOf);
  const bytes = bytesOf(stored);
  if (bytes !== upload.bytes) refuseBytes("The parts have", bytes, upload);
  const { name, keptSeconds } = upload;
  const kept = keptSeconds === undefined ? {} : { keptSeconds };
  const { fileId } = await addFile(ctx, key, { name, parts: stored, ...kept }, now);
  await ctx.db.patch("uploads", upload._id, { status: "completed", fileId });
  await deleteParts(ctx, parts, new Set(partIds));
  return await viewOf(ctx, present(await ctx.db.get("uploads", upload._id), "completed upload"));
}

/** Cancels an upload and deletes its parts. A repeated call changes nothing. Refuses: invalid, if it was completed. */
export async function cancelUpload(ctx: MutationCtx, upload: Doc<"uploads">): Promise<UploadView> {
  if (upload.status === "completed") refuse("invalid", "The upload is completed already. Delete its file.");
  if (upload.status === "pending") {
    await ctx.db.patch("uploads", upload._id, { status: "cancelled" });
    await deleteParts(ctx, await partsOf(ctx, upload._id));
  }
  return await viewOf(ctx, { ...upload, status: "cancelled" });
}

/** @param kept the parts whose content a file has now. */
async function deleteParts(
  ctx: MutationCtx,
  parts: readonly Doc<"uploadParts">[],
  kept: ReadonlySet<string> = new Set(),
): Promise<void> {
  for (const part of parts) {
    await ctx.db.delete("uploadParts", part._id);
    if (kept.has(part._id)) continue;
    for (const { storageId } of piecesOf(part)) await ctx.storage.delete(storageId);
  }
}

const sweptAtOnce = 2;

/** Deletes uploads whose hour is over. A file that was made of one stays. Returns whether there may be more. */
export async function sweepUploads(ctx: MutationCtx, now: number): Promise<boolean> {
  const ended = await ctx.db
    .query("uploads")
    .withIndex("by_end", (q) => q.lte("expiresAt", now))
    .take(sweptAtOnce);
  for (const { _id } of ended) {
    await deleteParts(ctx, await partsOf(ctx, _id));
    await ctx.db.delete("uploads", _id);
  }
  return ended.length === sweptAtOnce;
}
