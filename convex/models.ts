import { type Infer, v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalAction, internalMutation, internalQuery } from "./_generated/server.js";
import {
  countFitting as countPageOf,
  fitCounts,
  readFacts,
  storeOutcome,
} from "./model/models/inspection.ts";
import { inspectionOutcome } from "./model/validators/models.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Reads the facts about a model from its file. */
export const inspect = internalAction({
  args: { inspectionId: v.id("modelInspections"), link: v.string() },
  returns: v.null(),
  handler: async (ctx, { inspectionId, link }) => {
    const countPage = async (needsBytes: number, cursor: string | null): Promise<Infer<typeof fitCounts>> =>
      await ctx.runQuery(internal.models.countFitting, { inspectionId, needsBytes, cursor });
    const outcome = await readFacts(link, countPage);
    await ctx.runMutation(internal.models.storeInspection, { inspectionId, outcome });
    return null;
  },
});

/** Counts the next devices of an inspection's organization that could run the model. */
export const countFitting = internalQuery({
  args: {
    inspectionId: v.id("modelInspections"),
    needsBytes: v.number(),
    cursor: v.union(v.string(), v.null()),
  },
  returns: fitCounts,
  handler: async (ctx, { inspectionId, needsBytes, cursor }) => {
    const row = await ctx.db.get("modelInspections", inspectionId);
    if (row === null) return { devices: 0, fitting: 0, next: null };
    return await countPageOf(ctx, row.organizationId, needsBytes, cursor);
  },
});

export const storeInspection = internalMutation({
  args: { inspectionId: v.id("modelInspections"), outcome: inspectionOutcome },
  returns: v.null(),
  handler: async (ctx, { inspectionId, outcome }) => {
    await storeOutcome(ctx, inspectionId, outcome);
    return null;
  },
});
