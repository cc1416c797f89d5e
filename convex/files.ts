import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalMutation, internalQuery } from "./_generated/server.js";
import { admittedKey } from "./model/authenticate.ts";
import {
  addFile,
  endFilesOfKey,
  filePage,
  fileView,
  fileViewOf,
  ownFile,
  removeFile,
  storedFile,
  sweepFiles,
  sweepOrphans,
} from "./model/files/files.ts";
import { newSeal as newSealView, newSealFor, openPart, openParts } from "./model/files/seals.ts";
import {
  addPart,
  cancelUpload as cancelUploadOf,
  completeUpload as completeUploadOf,
  createUpload as createUploadOf,
  newUpload,
  ownUpload,
  sweepUploads,
  uploadView,
} from "./model/files/uploads.ts";
import { askedInteger } from "./model/refuse.ts";
import { filePart } from "./model/validators/files.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofKey = { keyId: v.id("apiKeys") };
const ofOwnFile = { ...ofKey, fileId: v.string() };
const ofOwnUpload = { ...ofKey, uploadId: v.string() };
/** As in OpenAI's API. */
const mostAsked = 10_000;
/** A page may be shorter than asked for. Clients then ask for the next one. */
const mostListed = 100;

/** Refuses: unauthorized, revoked, and as `addFile`. */
export const add = internalMutation({
  args: { ...ofKey, ...storedFile },
  returns: fileView,
  handler: async (ctx, { keyId, ...file }) =>
    await addFile(ctx, await admittedKey(ctx, keyId), file, Date.now()),
});

/** Refuses: unauthorized, revoked, not_found. */
export const get = internalQuery({
  args: ofOwnFile,
  returns: fileView,
  handler: async (ctx, { keyId, fileId }) =>
    fileViewOf(await ownFile(ctx, await admittedKey(ctx, keyId), fileId)),
});

/** A file with the keys that open it. Null and refuses as `openParts`. Refuses also: unauthorized, revoked, not_found. */
export const open = internalQuery({
  args: ofOwnFile,
  returns: v.object({ file: fileView, parts: v.union(v.array(openPart), v.null()) }),
  handler: async (ctx, { keyId, fileId }) => {
    const file = await ownFile(ctx, await admittedKey(ctx, keyId), fileId);
    return { file: fileViewOf(file), parts: await openParts(ctx, file.parts) };
  },
});

/** The key that seals content which is stored for an API key now. Null and refuses as `writingKey`. */
export const newSeal = internalQuery({
  args: ofKey,
  returns: v.union(newSealView, v.null()),
  handler: async (ctx, { keyId }) => await newSealFor(ctx, keyId),
});

/** A key's files. Refuses: unauthorized, revoked, not_found (`after`), invalid. */
export const list = internalQuery({
  args: {
    ...ofKey,
    limit: v.number(),
    after: v.optional(v.string()),
    purpose: v.optional(v.string()),
    isOldestFirst: v.boolean(),
  },
  returns: v.object({ files: v.array(fileView), isDone: v.boolean() }),
  handler: async (ctx, { keyId, limit, ...which }) =>
    await filePage(ctx, await admittedKey(ctx, keyId), {
      ...which,
      limit: Math.min(askedInteger(limit, "limit", 1, mostAsked), mostListed),
    }),
});

/** Refuses: unauthorized, revoked, not_found, and as `removeFile`. */
export const remove = internalMutation({
  args: ofOwnFile,
  returns: v.null(),
  handler: async (ctx, { keyId, fileId }) => {
    await removeFile(ctx, await ownFile(ctx, await admittedKey(ctx, keyId), fileId));
    return null;
  },
});

/** Refuses: unauthorized, revoked, and as `createUpload`. */
export const createUpload = internalMutation({
  args: { ...ofKey, ...newUpload },
  returns: uploadView,
  handler: async (ctx, { keyId, ...asked }) =>
    await createUploadOf(ctx, await admittedKey(ctx, keyId), asked, Date.now()),
});

/** Refuses: unauthorized, revoked, not_found, and as `addPart`. */
export const addUploadPart = internalMutation({
  args: { ...ofOwnUpload, pieces: v.array(filePart) },
  returns: v.object({ partId: v.id("uploadParts"), createdAt: v.number() }),
  handler: async (ctx, { keyId, uploadId, pieces }) => {
    const upload = await ownUpload(ctx, await admittedKey(ctx, keyId), uploadId);
    const createdAt = Date.now();
    return { partId: await addPart(ctx, upload, pieces, createdAt), createdAt };
  },
});

/** Refuses: unauthorized, revoked, not_found, and as `completeUpload`. */
export const completeUpload = internalMutation({
  args: { ...ofOwnUpload, partIds: v.array(v.string()) },
  returns: uploadView,
  handler: async (ctx, { keyId, uploadId, partIds }) => {
    const key = await admittedKey(ctx, keyId);
    return await completeUploadOf(ctx, key, await ownUpload(ctx, key, uploadId), partIds, Date.now());
  },
});

/** Refuses: unauthorized, revoked, not_found, and as `cancelUpload`. */
export const cancelUpload = internalMutation({
  args: ofOwnUpload,
  returns: uploadView,
  handler: async (ctx, { keyId, uploadId }) =>
    await cancelUploadOf(ctx, await ownUpload(ctx, await admittedKey(ctx, keyId), uploadId)),
});

/** Deletes a part that a longer one has replaced. */
export const deletePart = internalMutation({
  args: { storageId: v.id("_storage") },
  returns: v.null(),
  handler: async (ctx, { storageId }) => {
    if ((await ctx.db.system.get("_storage", storageId)) !== null) await ctx.storage.delete(storageId);
    return null;
  },
});

/** Ends the time of a revoked key's files, so that they are deleted. */
export const endFilesOf = internalMutation({
  args: { apiKeyId: v.id("apiKeys"), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { apiKeyId, cursor }) => {
    const next = await endFilesOfKey(ctx, apiKeyId, cursor, Date.now());
    if (next !== null) {
      await ctx.scheduler.runAfter(0, internal.files.endFilesOf, { apiKeyId, cursor: next });
    }
    return null;
  },
});

/** Deletes files and uploads whose time is over, and then content that no file has. */
export const sweep = internalMutation({
  args: { after: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { after = 0 }) => {
    const now = Date.now();
    const [files, uploads] = [await sweepFiles(ctx, now), await sweepUploads(ctx, now)];
    const next = files || uploads ? after : await sweepOrphans(ctx, after, now);
    if (next !== null) await ctx.scheduler.runAfter(0, internal.files.sweep, { after: next });
    return null;
  },
});
