import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalMutation, internalQuery } from "./_generated/server.js";
import { admittedKey } from "./model/authenticate.ts";
import {
  addFile,
  filePage,
  fileView,
  fileViewOf,
  ownFile,
  removeFile,
  storedFile,
  sweepFiles,
} from "./model/files/files.ts";
import { boundedInteger } from "./model/refuse.ts";
import { filePart } from "./model/validators.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofKey = { keyId: v.id("apiKeys") };
const ofOwnFile = { ...ofKey, fileId: v.string() };
const mostListed = 1_000;

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
  returns: v.object({ file: fileView, parts: v.array(filePart) }),
  handler: async (ctx, { keyId, fileId }) => {
    const file = await ownFile(ctx, await admittedKey(ctx, keyId), fileId);
    return { file: fileViewOf(file), parts: file.parts };
  },
});

/** A key's files, newest first. Refuses: unauthorized, revoked, not_found (`after`), invalid. */
export const list = internalQuery({
  args: { ...ofKey, limit: v.number(), after: v.optional(v.string()) },
  returns: v.object({ files: v.array(fileView), isDone: v.boolean() }),
  handler: async (ctx, { keyId, limit, after }) =>
    await filePage(ctx, await admittedKey(ctx, keyId), {
      limit: boundedInteger(limit, "limit", 1, mostListed),
      after,
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

/** Deletes files whose time is over. */
export const sweep = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    if (await sweepFiles(ctx, Date.now())) await ctx.scheduler.runAfter(0, internal.files.sweep, {});
    return null;
  },
});
