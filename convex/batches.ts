import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalMutation, internalQuery } from "./_generated/server.js";
import { admittedKey } from "./model/authenticate.ts";
import {
  batchOfKey,
  batchPage,
  batchView,
  cancelByKey,
  createBatch,
  endBatchesOf,
  newBatch,
  requesterBatch,
  requesterBatchOf,
} from "./model/batches/batches.ts";
import {
  addLines as addLinesTo,
  collectedLines,
  collectStep,
  nextCollection as nextCollectionOf,
  partOf,
  partOfLine as part,
  restCollection as restCollectionOf,
} from "./model/batches/collect.ts";
import {
  addPiece as addPieceTo,
  checkedFile,
  cutRequest,
  cutStep,
  nextCut as nextCutOf,
  pieceOutcome,
  startBatch,
} from "./model/batches/cut.ts";
import { batchFacts, factsOf } from "./model/batches/estimate.ts";
import {
  batchOutlook,
  forecastPage,
  forecastPageOf,
  outlookOf,
  storeForecasts as store,
} from "./model/batches/forecast.ts";
import { resumeBatches } from "./model/batches/resume.ts";
import { cancelRest } from "./model/batches/severalJobs.ts";
import { askedInteger, present } from "./model/refuse.ts";
import { keyUse } from "./model/validators/keys.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofKey = { keyId: v.id("apiKeys") };
const ofOwnBatch = { ...ofKey, batchId: v.string() };
const ofBatch = { batchId: v.id("batches") };
const mostListed = 100;

/** Refuses: unauthorized, revoked, and as `createBatch`. */
export const create = internalMutation({
  args: { ...ofKey, ...newBatch },
  returns: batchView,
  handler: async (ctx, { keyId, ...asked }) =>
    await createBatch(ctx, await admittedKey(ctx, keyId), asked, Date.now()),
});

/** Refuses: unauthorized, revoked, not_found. */
export const get = internalQuery({
  args: ofOwnBatch,
  returns: requesterBatch,
  handler: async (ctx, { keyId, batchId }) =>
    await requesterBatchOf(ctx, await batchOfKey(ctx, await admittedKey(ctx, keyId), batchId)),
});

/** A key's batches, newest first. Refuses: unauthorized, revoked, not_found (`after`), invalid. */
export const list = internalQuery({
  args: { ...ofKey, limit: v.number(), after: v.optional(v.string()) },
  returns: v.object({ batches: v.array(requesterBatch), isDone: v.boolean() }),
  handler: async (ctx, { keyId, limit, after }) =>
    await batchPage(ctx, await admittedKey(ctx, keyId), {
      limit: askedInteger(limit, "limit", 1, mostListed),
      after,
    }),
});

/** Refuses: unauthorized, revoked, not_found, and as `cancelByKey`. */
export const cancel = internalMutation({
  args: ofOwnBatch,
  returns: batchView,
  handler: async (ctx, { keyId, batchId }) =>
    await cancelByKey(ctx, await batchOfKey(ctx, await admittedKey(ctx, keyId), batchId), Date.now()),
});

/** The facts that an estimate needs before it reads the file. Refuses: unauthorized, revoked, and as `factsOf`. */
export const facts = internalQuery({
  args: { ...ofKey, fileId: v.string(), requires: newBatch.requires },
  returns: batchFacts,
  handler: async (ctx, { keyId, ...of }) => await factsOf(ctx, await admittedKey(ctx, keyId), of),
});

/** The forecast of a batch that is not there yet. Refuses: unauthorized, revoked. */
export const outlook = internalQuery({
  args: {
    ...ofKey,
    endpoint: newBatch.endpoint,
    model: v.union(v.string(), v.null()),
    isHigh: v.boolean(),
    total: v.number(),
    jobs: v.number(),
    window: v.string(),
    windowMs: v.number(),
    requires: newBatch.requires,
  },
  returns: batchOutlook,
  handler: async (ctx, { keyId, model, total, jobs, window, windowMs, ...of }) => {
    const { organizationId } = await admittedKey(ctx, keyId);
    const now = Date.now();
    const counts = { total, jobs, completed: 0, failed: 0 };
    const expiresAt = now + windowMs;
    const batch = { ...of, organizationId, apiKeyId: keyId, model: model ?? undefined, expiresAt };
    return await outlookOf(ctx, { ...batch, ...counts }, window, now);
  },
});

/** The forecast of a batch whose file was checked. */
export const checkedOutlook = internalQuery({
  args: {
    ...ofBatch,
    model: v.union(v.string(), v.null()),
    isHigh: v.boolean(),
    total: v.number(),
    jobs: v.number(),
  },
  returns: batchOutlook,
  handler: async (ctx, { batchId, model, ...counts }) => {
    const batch = present(await ctx.db.get("batches", batchId), "batch");
    const checked = { ...batch, ...counts, model: model ?? undefined };
    return await outlookOf(ctx, checked, batch.window, Date.now());
  },
});

/** Ends the batches of a key: all of them, or those that began before a moment. `keepsFiles`: whether its files stay until their own end. */
export const endOfKey = internalMutation({
  args: { apiKeyId: v.id("apiKeys"), before: v.optional(v.number()), keepsFiles: v.optional(v.boolean()) },
  returns: v.null(),
  handler: async (ctx, { apiKeyId, before = Infinity, keepsFiles = false }) => {
    await endBatchesOf(ctx, apiKeyId, before, Date.now());
    if (!keepsFiles) await ctx.scheduler.runAfter(0, internal.files.endFilesOf, { apiKeyId, cursor: null });
    return null;
  },
});

/** Cancels the jobs of a request of which one has failed. */
export const cancelLine = internalMutation({
  args: { lineId: v.id("batchLines") },
  returns: v.null(),
  handler: async (ctx, { lineId }) => {
    await cancelRest(ctx, lineId);
    return null;
  },
});

export const nextCut = internalQuery({
  args: ofBatch,
  returns: v.union(cutStep, v.null()),
  handler: async (ctx, { batchId }) => await nextCutOf(ctx, batchId),
});

export const start = internalMutation({
  args: { ...ofBatch, ...checkedFile },
  returns: v.null(),
  handler: async (ctx, { batchId, ...checked }) => {
    await startBatch(ctx, batchId, checked, Date.now());
    return null;
  },
});

export const addPiece = internalMutation({
  args: {
    ...ofBatch,
    from: v.number(),
    requests: v.array(cutRequest),
    isLast: v.boolean(),
    use: v.optional(keyUse),
  },
  returns: pieceOutcome,
  handler: async (ctx, { batchId, ...piece }) => await addPieceTo(ctx, batchId, piece, Date.now()),
});

export const nextCollection = internalQuery({
  args: ofBatch,
  returns: v.union(collectStep, v.null()),
  handler: async (ctx, { batchId }) => await nextCollectionOf(ctx, batchId),
});

export const partOfLine = internalQuery({
  args: { jobId: v.string() },
  returns: part,
  handler: async (ctx, { jobId }) => await partOf(ctx, jobId),
});

export const addLines = internalMutation({
  args: { ...ofBatch, ...collectedLines },
  returns: v.boolean(),
  handler: async (ctx, { batchId, ...collected }) => await addLinesTo(ctx, batchId, collected, Date.now()),
});

export const restCollection = internalMutation({
  args: { ...ofBatch, emptyLooks: v.number() },
  returns: v.boolean(),
  handler: async (ctx, { batchId, emptyLooks }) => await restCollectionOf(ctx, batchId, emptyLooks),
});

/** Goes on with batches whose last step was cut off. */
export const resume = internalMutation({
  args: { cursor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { cursor = null }) => {
    const next = await resumeBatches(ctx, cursor, Date.now());
    if (next !== null) await ctx.scheduler.runAfter(0, internal.batches.resume, { cursor: next });
    return null;
  },
});

/** The forecasts of running batches, a few at a time. */
export const forecasts = internalQuery({
  args: { cursor: v.union(v.string(), v.null()) },
  returns: forecastPage,
  handler: async (ctx, { cursor }) => await forecastPageOf(ctx, cursor, Date.now()),
});

export const storeForecasts = internalMutation({
  args: { forecasts: forecastPage.fields.forecasts },
  returns: v.null(),
  handler: async (ctx, { forecasts }) => {
    await store(ctx, forecasts);
    return null;
  },
});
