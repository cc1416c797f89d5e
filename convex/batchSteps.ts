import type { FunctionReturnType } from "convex/server";
import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalAction } from "./_generated/server.js";
import { collectLines } from "./openai/batches/collectLines.ts";
import { cutFile } from "./openai/batches/cutFile.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofBatch = { batchId: v.id("batches") };

/** Checks a batch's file, and submits its requests. Can be repeated at any time. */
export const cut = internalAction({
  args: ofBatch,
  returns: v.null(),
  handler: async (ctx, { batchId }) => {
    await cutFile(ctx, batchId);
    return null;
  },
});

/**
 * Writes the answers and errors of a batch into its files. Can be repeated at any time. `emptyLooks`: how often the collection has
 * found nothing.
 */
export const collect = internalAction({
  args: { ...ofBatch, emptyLooks: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { batchId, emptyLooks = 0 }) => {
    await collectLines(ctx, batchId, emptyLooks);
    return null;
  },
});

/** Forecasts when running batches will end. */
export const forecast = internalAction({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for (let cursor: string | null = null; ;) {
      const page: FunctionReturnType<typeof internal.batches.forecasts> = await ctx.runQuery(
        internal.batches.forecasts,
        { cursor },
      );
      const { forecasts, next } = page;
      if (forecasts.length > 0) await ctx.runMutation(internal.batches.storeForecasts, { forecasts });
      if (next === null) return null;
      cursor = next;
    }
  },
});
