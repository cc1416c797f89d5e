import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { cancelBatch } from "../../model/batches/batches.ts";
import { batchDetail, batchDetailOf, batchRow, batchRowPage } from "../../model/batches/consoleRows.ts";
import { idIn, memberMutation, memberQuery, ownBatch, ownKey } from "../../model/memberCalls.ts";
import { batchStatus } from "../../model/validators/batches.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * Batches, newest first: of one status, those that have not ended ("open"), or all, and of a key. A page may be short before the
 * last one. Refuses: not_found (the key).
 */
export const list = memberQuery("jobs.read")({
  args: {
    paginationOpts: paginationOptsValidator,
    status: v.optional(v.union(batchStatus, v.literal("open"))),
    keyId: v.optional(v.string()),
  },
  returns: paginationResultValidator(batchRow),
  handler: async (ctx, { paginationOpts, status, keyId }) => {
    const key = keyId === undefined ? undefined : await ownKey(ctx, idIn(ctx, "apiKeys", keyId));
    return await batchRowPage(ctx, { status, key }, paginationOpts);
  },
});

/** All about a batch but its requests and answers. Refuses: not_found. */
export const get = memberQuery("jobs.read")({
  args: { batchId: v.string() },
  returns: batchDetail,
  handler: async (ctx, { batchId }) => await batchDetailOf(ctx, await ownBatch(ctx, batchId)),
});

/**
 * Cancels a batch for good. Its answers stay, and its other requests end as canceled. A repeated call changes nothing. Refuses:
 * not_found, invalid (it has ended otherwise).
 */
export const cancel = memberMutation("jobs.change")({
  args: { batchId: v.id("batches") },
  returns: v.null(),
  handler: async (ctx, { batchId }) => {
    const batch = await ownBatch(ctx, batchId);
    if (await cancelBatch(ctx, batch, ctx.at)) await ctx.audit("batch.canceled", batchId);
    return null;
  },
});
