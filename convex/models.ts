import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalAction, internalMutation, internalQuery } from "./_generated/server.js";
import { memoriesOf, readFacts, storeOutcome } from "./model/models/inspection.ts";
import { inspectionOutcome } from "./model/validators.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Reads the facts about a model from its file. */
export const inspect = internalAction({
  args: { inspectionId: v.id("modelInspections"), link: v.string() },
  returns: v.null(),
  handler: async (ctx, { inspectionId, link }) => {
    const fleet = async (): Promise<readonly number[]> =>
      await ctx.runQuery(internal.models.memories, { inspectionId });
    const outcome = await readFacts(link, fleet);
    await ctx.runMutation(internal.models.storeInspection, { inspectionId, outcome });
    return null;
  },
});

/** The memory of the devices of an inspection's organization, in bytes. */
export const memories = internalQuery({
  args: { inspectionId: v.id("modelInspections") },
  returns: v.array(v.number()),
  handler: async (ctx, { inspectionId }) => {
    const row = await ctx.db.get("modelInspections", inspectionId);
    return row === null ? [] : [...(await memoriesOf(ctx, row.organizationId))];
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
