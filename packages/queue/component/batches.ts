import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { stream } from "convex-helpers/server/stream";
import { anything, batchView } from "../shared/validators.ts";
import { createBatch, seal as sealBatch } from "./model/batches/create.ts";
import { batchViewOf, freshViewOf } from "./model/batches/view.ts";
import { boundedPage } from "./model/bounds.ts";
import { mutation, query } from "./model/builders.ts";
import { record } from "./model/events.ts";
import { findOwned, loadOwned } from "./model/load.ts";
import { maintenance } from "./model/references.ts";
import { schema } from "./model/schema.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofBatch = { scope: v.string(), batchId: v.string() };

/** Opens a batch and returns its id. A repeated call with the same `externalId` returns the existing batch. */
export const create = mutation({
  args: {
    scope: v.string(),
    externalId: v.optional(v.string()),
    onDone: v.optional(v.string()),
    context: v.optional(anything),
    actor: v.optional(v.string()),
  },
  returns: v.string(),
  handler: async (ctx, args): Promise<string> => await createBatch(ctx, args, Date.now()),
});

/** Closes a batch to new jobs. A repeated call changes nothing. */
export const seal = mutation({
  args: { ...ofBatch, actor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { scope, batchId, actor }) => {
    const at = Date.now();
    const batch = await loadOwned(ctx, "batches", scope, batchId);
    await sealBatch(ctx, batch, at);
    if (batch.status === "open")
      await record(ctx, { scope, at, actor, action: "batch.seal", subject: batchId });
    return null;
  },
});

/** Seals a batch and cancels its open jobs, in pieces. The batch is done when all its jobs are final. */
export const cancel = mutation({
  args: { ...ofBatch, actor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { scope, batchId, actor }) => {
    const batch = await loadOwned(ctx, "batches", scope, batchId);
    await sealBatch(ctx, batch, Date.now());
    if (batch.status !== "done" && batch.total > 0) {
      const all = { scope, by: "batch" as const, name: batch._id, running: true, before: Date.now() };
      await ctx.scheduler.runAfter(0, maintenance.cancelMany, all);
    }
    if (batch.status !== "done") {
      await record(ctx, { scope, at: Date.now(), actor, action: "batch.cancel", subject: batchId });
    }
    return null;
  },
});

/** A batch's progress, including ends that are not counted yet. */
export const get = query({
  args: ofBatch,
  returns: v.union(batchView, v.null()),
  handler: async (ctx, { scope, batchId }) => {
    const batch = await findOwned(ctx, "batches", scope, batchId);
    return batch === null ? null : await freshViewOf(ctx, batch);
  },
});

export const byExternalId = query({
  args: { scope: v.string(), externalId: v.string() },
  returns: v.union(batchView, v.null()),
  handler: async (ctx, { scope, externalId }) => {
    const batch = await ctx.db
      .query("batches")
      .withIndex("by_external", (q) => q.eq("scope", scope).eq("externalId", externalId))
      .first();
    return batch === null ? null : await freshViewOf(ctx, batch);
  },
});

/** Batches, newest first. Their counts are at most two seconds behind. */
export const list = query({
  args: { scope: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(batchView),
  handler: async (ctx, { scope, paginationOpts }) => {
    const found = await stream(ctx.db, schema)
      .query("batches")
      .withIndex("by_scope", (q) => q.eq("scope", scope))
      .order("desc")
      .paginate(boundedPage(paginationOpts));
    return { ...found, page: found.page.map(batchViewOf) };
  },
});
