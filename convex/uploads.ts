import { v } from "convex/values";
import { internalMutation } from "./_generated/server.js";
import { admittedKey } from "./model/authenticate.ts";
import {
  addPart as addPartTo,
  cancelUpload,
  completeUpload,
  createUpload,
  newUpload,
  ownUpload,
  uploadView,
} from "./model/files/uploads.ts";
import { filePart } from "./model/validators.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofKey = { keyId: v.id("apiKeys") };
const ofOwnUpload = { ...ofKey, uploadId: v.string() };

/** Refuses: unauthorized, revoked, and as `createUpload`. */
export const create = internalMutation({
  args: { ...ofKey, ...newUpload },
  returns: uploadView,
  handler: async (ctx, { keyId, ...asked }) =>
    await createUpload(ctx, await admittedKey(ctx, keyId), asked, Date.now()),
});

/** Refuses: unauthorized, revoked, not_found, and as `addPart`. */
export const addPart = internalMutation({
  args: { ...ofOwnUpload, part: filePart },
  returns: v.object({ partId: v.id("uploadParts"), createdAt: v.number() }),
  handler: async (ctx, { keyId, uploadId, part }) => {
    const upload = await ownUpload(ctx, await admittedKey(ctx, keyId), uploadId);
    const createdAt = Date.now();
    return { partId: await addPartTo(ctx, upload, part, createdAt), createdAt };
  },
});

/** Refuses: unauthorized, revoked, not_found, and as `completeUpload`. */
export const complete = internalMutation({
  args: { ...ofOwnUpload, partIds: v.array(v.string()) },
  returns: uploadView,
  handler: async (ctx, { keyId, uploadId, partIds }) => {
    const key = await admittedKey(ctx, keyId);
    return await completeUpload(ctx, key, await ownUpload(ctx, key, uploadId), partIds, Date.now());
  },
});

/** Refuses: unauthorized, revoked, not_found, and as `cancelUpload`. */
export const cancel = internalMutation({
  args: ofOwnUpload,
  returns: uploadView,
  handler: async (ctx, { keyId, uploadId }) =>
    await cancelUpload(ctx, await ownUpload(ctx, await admittedKey(ctx, keyId), uploadId)),
});
