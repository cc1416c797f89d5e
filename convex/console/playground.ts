import { v } from "convex/values";
import {
  beginPlayground,
  endPlaygroundOf,
  playgroundKeyOf,
  playgroundMicroOf,
  setPlaygroundMicro,
} from "../model/keys/playgroundKeys.ts";
import { balanceOf } from "../model/ledger/balance.ts";
import { keyAccount } from "../model/ledger/transfer.ts";
import { memberMutation, memberQuery, ownJob } from "../model/memberCalls.ts";
import { jobWait, waitsOfKey } from "../model/orders/jobWaits.ts";
import { measures as measuresRow, measuresOf } from "../model/orders/measures.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The session's key, and the credits that a member may spend in the playground within a day. */
export const state = memberQuery("playground.use")({
  args: {},
  returns: v.object({
    dailyMicro: v.int64(),
    key: v.union(v.object({ prefix: v.string(), until: v.number(), leftMicro: v.int64() }), v.null()),
  }),
  handler: async (ctx) => {
    const key = await playgroundKeyOf(ctx, ctx.session._id);
    return {
      dailyMicro: await playgroundMicroOf(ctx, ctx.organizationId),
      key:
        key === null
          ? null
          : {
              prefix: key.prefix,
              until: key.playgroundUntil ?? 0,
              leftMicro: (await balanceOf(ctx, keyAccount(key._id))).micro,
            },
    };
  },
});

/**
 * Registers a key that the browser made, for this session only. It replaces the session's earlier one, and ends with the
 * session or after a day. Refuses: quota_exceeded, rate_limited, invalid, conflict.
 */
export const begin = memberMutation("playground.use")({
  args: { keyHash: v.string(), prefix: v.string() },
  returns: v.null(),
  handler: async (ctx, key) => {
    await beginPlayground(ctx, ctx.session, ctx.member._id, key, ctx.by);
    return null;
  },
});

/** Revokes the session's key. */
export const end = memberMutation("playground.use")({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await endPlaygroundOf(ctx, ctx.session._id, ctx.at);
    return null;
  },
});

/** Why the session's newest calls wait, by their models. Calls that do not wait are left out. */
export const waits = memberQuery("playground.use")({
  args: {},
  returns: v.array(v.object({ modelId: v.string(), wait: jobWait })),
  handler: async (ctx) => {
    const key = await playgroundKeyOf(ctx, ctx.session._id);
    return key === null ? [] : await waitsOfKey(ctx, key);
  },
});

/** How an own job went, on what kind of device, and for how many credits. Null once it is deleted. Refuses: not_found. */
export const measures = memberQuery("playground.use")({
  args: { jobId: v.string() },
  returns: v.union(measuresRow, v.null()),
  handler: async (ctx, { jobId }) => await measuresOf(ctx, await ownJob(ctx, jobId)),
});

/** Sets the credits that each member may spend in the playground within a day. 0 closes it. Refuses: invalid. */
export const setCredits = memberMutation("money.change")({
  args: { micro: v.int64() },
  returns: v.null(),
  handler: async (ctx, { micro }) => {
    await setPlaygroundMicro(ctx, ctx.organizationId, micro, ctx.by);
    return null;
  },
});
