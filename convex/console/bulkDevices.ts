import { v } from "convex/values";
import { visibleText } from "../../app/format/visible.ts";
import type { Doc, Id } from "../_generated/dataModel.js";
import type { QueryCtx } from "../_generated/server.js";
import { runBulk, undoBulk } from "../model/fleet/bulk/apply.ts";
import { codeOf, maxChosen, prepareBulk } from "../model/fleet/bulk/find.ts";
import {
  type MemberCtx,
  memberMutation,
  memberQuery,
  ownCode,
  ownDevice,
  ownOwner,
} from "../model/memberCalls.ts";
import { owned, refuse } from "../model/refuse.ts";
import { bulkAct, bulkChosen, bulkState } from "../model/validators/fleet.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Finds the devices of an act on many, for its preview. Nothing changes yet. Refuses: invalid, not_found. */
export const prepare = memberMutation("devices.change")({
  args: { act: bulkAct, chosen: bulkChosen },
  returns: v.id("bulkActs"),
  handler: async (ctx, wanted) => {
    const { chosen } = wanted;
    if ("deviceIds" in chosen) await checkOwn(ctx, chosen.deviceIds);
    else if ("codeId" in chosen) await ownCode(ctx, chosen.codeId);
    else if (chosen.filters.owner !== undefined) await ownOwner(ctx, chosen.filters.owner);
    return await prepareBulk(ctx, ctx, wanted, ctx.at);
  },
});

/** An act's preview and its progress. Refuses: not_found. */
export const get = memberQuery("devices.change")({
  args: { bulkId: v.id("bulkActs") },
  returns: v.object({
    act: bulkAct,
    state: bulkState,
    /** Devices that it changes, that are so already, and that it does not fit. */
    counts: v.object({ changes: v.number(), same: v.number(), cannot: v.number() }),
    /** Devices that are changed, or restored. */
    done: v.number(),
    /** The label of the enrollment code that admitted the devices, if they were chosen by it. */
    code: v.union(v.string(), v.null()),
  }),
  handler: async (ctx, { bulkId }) => {
    const bulk = await ownBulk(ctx, bulkId);
    const { act, state, counts, done } = bulk;
    const code = await codeOf(ctx, bulk);
    return { act, state, counts, done, code: code === null ? null : visibleText(code.label) };
  },
});

/** Changes the devices that were found, some at a time. Refuses: not_found, conflict. */
export const run = memberMutation("devices.change")({
  args: { bulkId: v.id("bulkActs") },
  returns: v.null(),
  handler: async (ctx, { bulkId }) => {
    await runBulk(ctx, await ownBulk(ctx, bulkId), ctx);
    return null;
  },
});

/** Restores the devices that the act changed and that nobody has changed since. Refuses: not_found, conflict. */
export const undo = memberMutation("devices.change")({
  args: { bulkId: v.id("bulkActs") },
  returns: v.null(),
  handler: async (ctx, { bulkId }) => {
    await undoBulk(ctx, await ownBulk(ctx, bulkId), ctx);
    return null;
  },
});

/** Refuses: invalid (too many), not_found. */
async function checkOwn(ctx: QueryCtx & MemberCtx, deviceIds: readonly Id<"devices">[]): Promise<void> {
  if (deviceIds.length > maxChosen)
    refuse("invalid", `Choose at most ${String(maxChosen)} devices, or all that fit the filters.`);
  await Promise.all(deviceIds.map((deviceId) => ownDevice(ctx, deviceId)));
}

async function ownBulk(ctx: QueryCtx & MemberCtx, bulkId: Id<"bulkActs">): Promise<Doc<"bulkActs">> {
  return owned(await ctx.db.get("bulkActs", bulkId), ctx.organizationId, "change");
}
