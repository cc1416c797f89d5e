import { type Infer, v } from "convex/values";
import { batchLimits, fileTimes } from "../../../app/batches/limits.ts";
import { formatBytes } from "../../../app/format/quantity.ts";
import { visibleText } from "../../../app/format/visible.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { askedInteger, refuse } from "../refuse.ts";
import { filePart, filePurpose } from "../validators/files.ts";
import { inputFileParam } from "./seals.ts";

/** A file as its requester sees it. Times are ms epoch. */
export const fileView = v.object({
  fileId: v.id("files"),
  name: v.string(),
  purpose: filePurpose,
  bytes: v.number(),
  createdAt: v.number(),
  expiresAt: v.number(),
});
export type FileView = Infer<typeof fileView>;

export function fileViewOf({
  _id: fileId,
  name,
  purpose,
  bytes,
  createdAt,
  expiresAt,
}: Doc<"files">): FileView {
  return { fileId, name, purpose, bytes, createdAt, expiresAt };
}

/** Arguments of a new file, whose parts are stored already. */
export const storedFile = {
  name: v.string(),
  parts: v.array(filePart),
  keptSeconds: v.optional(v.number()),
};

/**
 * Gives a key the file that was stored for it. Refuses: invalid, quota_exceeded (it has too many files). The caller then deletes
 * the stored parts.
 */
export async function addFile(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  {
    name,
    parts,
    keptSeconds = fileTimes.mostSeconds,
  }: {
    readonly name: string;
    readonly parts: Infer<typeof filePart>[];
    readonly keptSeconds?: number;
  },
  now: number,
): Promise<FileView> {
  const { leastSeconds, mostSeconds } = fileTimes;
  askedInteger(keptSeconds, "expires_after[seconds]", leastSeconds, mostSeconds);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  await checkRoom(ctx, key, bytes);
  const file = {
    organizationId: key.organizationId,
    apiKeyId: key._id,
    name: visibleText(name).slice(0, batchLimits.fileNameChars) || "file.jsonl",
    purpose: "batch" as const,
    bytes,
    parts,
    createdAt: now,
    expiresAt: now + keptSeconds * 1_000,
  };
  const fileId = await ctx.db.insert("files", file);
  return fileViewOf({ ...file, _id: fileId, _creationTime: now });
}

/** Refuses (quota_exceeded) a key that has too many files already, or whose files would have too many bytes. */
export async function checkRoom(ctx: QueryCtx, key: Doc<"apiKeys">, moreBytes: number): Promise<void> {
  const files = await filesOf(ctx, key._id);
  if (files.length >= batchLimits.filesOfKey) {
    refuse(
      "quota_exceeded",
      `This API key has ${String(files.length)} files, which is the most. Delete some.`,
    );
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, moreBytes);
  if (bytes > batchLimits.bytesOfKey) {
    const most = formatBytes(batchLimits.bytesOfKey);
    refuse("quota_exceeded", `All files of an API key have at most ${most} together. Delete some.`);
  }
}

/** All files of a key, oldest first. */
async function filesOf(ctx: QueryCtx, apiKeyId: Id<"apiKeys">): Promise<Doc<"files">[]> {
  return await ctx.db
    .query("files")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId))
    .take(batchLimits.filesOfKey);
}

/** The key's file with this id. Refuses: not_found, also for another key's. @param param the field of the call that names it. */
export async function ownFile(
  ctx: QueryCtx,
  key: Doc<"apiKeys">,
  id: string,
  param?: string,
): Promise<Doc<"files">> {
  const fileId = ctx.db.normalizeId("files", id);
  const file = fileId === null ? null : await ctx.db.get("files", fileId);
  return file?.apiKeyId === key._id ? file : refuse("not_found", "There is no such file.", param);
}

/** The key's file of requests that `input_file_id` names. Refuses: not_found, invalid (it has answers of a batch). */
export async function inputFile(ctx: QueryCtx, key: Doc<"apiKeys">, id: string): Promise<Doc<"files">> {
  const file = await ownFile(ctx, key, id, inputFileParam);
  if (file.purpose === "batch") return file;
  return refuse("invalid", "input_file_id: this file has the answers of a batch.", inputFileParam);
}

type FilesWanted = {
  readonly limit: number;
  readonly after?: string;
  readonly purpose?: string;
  readonly isOldestFirst: boolean;
};

/** The key's files, of one purpose or all, behind the file `after`. Refuses: not_found (`after`). */
export async function filePage(
  ctx: QueryCtx,
  key: Doc<"apiKeys">,
  { limit, after, purpose, isOldestFirst }: FilesWanted,
): Promise<{ files: FileView[]; isDone: boolean }> {
  const from = after === undefined ? null : await ownFile(ctx, key, after, "after");
  const found = await ctx.db
    .query("files")
    .withIndex("by_key", (q) => {
      const ofKey = q.eq("apiKeyId", key._id);
      if (from === null) return ofKey;
      const { _creationTime } = from;
      return isOldestFirst
        ? ofKey.gt("_creationTime", _creationTime)
        : ofKey.lt("_creationTime", _creationTime);
    })
    .order(isOldestFirst ? "asc" : "desc")
    .take(purpose === undefined ? limit + 1 : batchLimits.filesOfKey);
  const files = found.filter((file) => purpose === undefined || file.purpose === purpose);
  return { files: files.slice(0, limit).map(fileViewOf), isDone: files.length <= limit };
}

/** A batch that has not ended and reads this file. Null: none does. */
export async function readerOf(ctx: QueryCtx, fileId: Id<"files">): Promise<Doc<"batches"> | null> {
  return await ctx.db
    .query("batches")
    .withIndex("by_input", (q) => q.eq("inputFileId", fileId).eq("open", true))
    .first();
}

/** Deletes a file and its content. Refuses: invalid, while a batch needs it. */
export async function removeFile(ctx: MutationCtx, file: Doc<"files">): Promise<void> {
  if ((await readerOf(ctx, file._id)) !== null)
    refuse("invalid", "A batch has not ended that reads this file. Cancel the batch first.");
  await deleteFile(ctx, file);
}

async function deleteFile(ctx: MutationCtx, { _id, parts }: Doc<"files">): Promise<void> {
  await Promise.all([
    ctx.db.delete("files", _id),
    ...parts.map(async ({ storageId }) => {
      await ctx.storage.delete(storageId);
    }),
  ]);
}

const endedAtOnce = 50;

/** Ends the time of a key's next files. Returns the cursor for the others; null if there are none. */
export async function endFilesOfKey(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  cursor: string | null,
  now: number,
): Promise<string | null> {
  const { page, isDone, continueCursor } = await ctx.db
    .query("files")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId))
    .paginate({ numItems: endedAtOnce, cursor });
  for (const { _id } of page) await ctx.db.patch("files", _id, { expiresAt: now });
  return isDone ? null : continueCursor;
}

const sweptAtOnce = 20;
/** Convex bounds what a mutation may delete. */
const partsSweptAtOnce = 500;

/** Deletes files whose time is over. Returns whether there may be more. */
export async function sweepFiles(ctx: MutationCtx, now: number): Promise<boolean> {
  const ended = await ctx.db
    .query("files")
    .withIndex("by_end", (q) => q.lte("expiresAt", now))
    .take(sweptAtOnce);
  let parts = 0;
  for (const file of ended) {
    if (parts > partsSweptAtOnce) return true;
    parts += file.parts.length;
    await deleteFile(ctx, file);
  }
  return ended.length === sweptAtOnce;
}

/** No file has older content: one that a batch writes is kept for this long after the longest window. */
const longestKeptMs = fileTimes.mostSeconds * 1_000 + batchLimits.mostWindowMs + 24 * 3_600_000;

const lookedThroughAtOnce = 100;

/**
 * Deletes content that is older than that of any file, and of no archive. The backend was killed after it had stored the content, and before the
 * transaction that names it. Call it when no file is left whose time is over.
 * @param after the creation time of the last content that was looked at.
 * @returns where to go on; null if no older content is left.
 */
export async function sweepOrphans(ctx: MutationCtx, after: number, now: number): Promise<number | null> {
  const old = await ctx.db.system
    .query("_storage")
    .withIndex("by_creation_time", (q) =>
      q.gt("_creationTime", after).lt("_creationTime", now - longestKeptMs),
    )
    .take(lookedThroughAtOnce);
  for (const { _id } of old) {
    const archive = await ctx.db
      .query("archives")
      .withIndex("by_storage", (q) => q.eq("storageId", _id))
      .first();
    if (archive === null) await ctx.storage.delete(_id);
  }
  return old.length === lookedThroughAtOnce ? (old.at(-1)?._creationTime ?? null) : null;
}
