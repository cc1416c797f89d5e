import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { visibleText } from "../../../app/format/visible.ts";
import type { Scope } from "../../../app/people/rights.ts";
import { faded, meanOf, ratedWithinMs, withRatings } from "../../../app/trust/standing.ts";
import { rankOf, standingRanks, toldStanding } from "../../../app/trust/told-standing.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { balanceOf } from "../ledger/balance.ts";
import { heldAccount } from "../ledger/transfer.ts";
import type { Owner } from "../owners.ts";
import type { Member } from "../people/members.ts";
import { ratingsOf } from "../ratings/ofDevice.ts";
import { tokenCounts } from "../validators/answers.ts";
import { isAnyHeld, isForOthers } from "./pay.ts";
import { caseState, verdict } from "./validators.ts";

/** A device by its name; a deleted one has none. */
export const named = v.object({ deviceId: v.id("devices"), name: v.string() });

const voiceRow = v.object({
  checker: named,
  verdict,
  tokens: v.number(),
  misses: v.number(),
  impossible: v.number(),
  /** Of a token, and the one beyond which the answer was odd. */
  meanRegret: v.number(),
  limit: v.number(),
  /** Tokens that the device reported, and those that the checker counted, if these are far fewer. */
  overclaim: v.union(v.object({ claimed: tokenCounts, counted: tokenCounts }), v.null()),
  at: v.number(),
});

export const caseRow = v.object({
  caseId: v.id("trustCases"),
  jobId: v.string(),
  device: named,
  modelId: v.string(),
  isSeries: v.boolean(),
  state: caseState,
  openedAt: v.number(),
  closedAt: v.union(v.number(), v.null()),
  takenMicro: v.int64(),
  voices: v.array(voiceRow),
});

export const checkRow = v.object({
  replayId: v.id("replays"),
  jobId: v.string(),
  device: named,
  modelId: v.string(),
  state: literals("waiting", "done", "undone"),
  /** Null until it is done. */
  voice: v.union(voiceRow, v.null()),
  at: v.number(),
});

export async function nameOf(ctx: QueryCtx, deviceId: Id<"devices">): Promise<Infer<typeof named>> {
  const device = await ctx.db.get("devices", deviceId);
  return { deviceId, name: visibleText(device?.name ?? "") };
}

async function voiceRowOf(
  ctx: QueryCtx,
  { deviceId, verdict: said, replay, limit, overclaim, at }: NonNullable<Doc<"replays">["voice"]>,
): Promise<Infer<typeof voiceRow>> {
  const { tokens, misses, impossible, regret } = replay;
  const meanRegret = tokens === 0 ? 0 : regret / tokens;
  return {
    checker: await nameOf(ctx, deviceId),
    verdict: said,
    tokens,
    misses,
    impossible,
    meanRegret,
    limit,
    overclaim: overclaim ?? null,
    at,
  };
}

/** A case with its evidence. It has counts and no text. */
export async function caseRowOf(ctx: QueryCtx, row: Doc<"trustCases">): Promise<Infer<typeof caseRow>> {
  const { _id, _creationTime, jobId, modelId, isSeries, state, closedAt = null, takenMicro = 0n } = row;
  return {
    caseId: _id,
    jobId,
    device: await nameOf(ctx, row.deviceId),
    modelId,
    isSeries,
    state,
    openedAt: _creationTime,
    closedAt,
    takenMicro,
    voices: await Promise.all(row.voices.map(async (voice) => await voiceRowOf(ctx, voice))),
  };
}

/** One check of an answer. */
export async function checkRowOf(ctx: QueryCtx, row: Doc<"replays">): Promise<Infer<typeof checkRow>> {
  const { _id, _creationTime, of, modelId, state, voice } = row;
  return {
    replayId: _id,
    jobId: of,
    device: await nameOf(ctx, row.deviceId),
    modelId,
    state,
    voice: voice === undefined ? null : await voiceRowOf(ctx, voice),
    at: voice?.at ?? _creationTime,
  };
}

export const ownStanding = v.object({
  modelId: v.string(),
  rank: literals(...standingRanks),
  passed: v.number(),
  counts: v.record(v.string(), v.number()),
});

export const standingView = v.object({
  /**
   * `chance`: that its next answer is right; null for those who do not see it. `unchecked`: its pay waits for checks, and nobody could check
   * its last answer that was to be checked.
   */
  models: v.array(ownStanding.extend({ chance: v.union(v.number(), v.null()), unchecked: v.boolean() })),
  /** Pay of the device that waits for checks, in micro-credits. */
  heldMicro: v.int64(),
  /** Whether another member has to release it, as the device is the caller's own. */
  isForOthers: v.boolean(),
});

const mostModels = 50;

/** `unchecked`: nobody could check the last answer with one of its models whose pay waits for checks. */
export const deviceChecks = v.object({
  heldMicro: v.string(),
  wrong: v.number(),
  overclaimed: v.number(),
  unchecked: v.boolean(),
});

/** The facts about checks that a device itself gets; null if there are none. */
export async function checksOf(
  ctx: QueryCtx,
  deviceId: Id<"devices">,
): Promise<Infer<typeof deviceChecks> | null> {
  const rows = await rowsOf(ctx, deviceId);
  const heldMicro = await heldOf(ctx, deviceId);
  const countOf = (event: "wrong" | "overclaimed"): number =>
    rows.reduce((sum, { standing: { counts } }) => sum + (counts[event] ?? 0), 0);
  const [wrong, overclaimed] = [countOf("wrong"), countOf("overclaimed")];
  const isNothing = wrong + overclaimed === 0 && heldMicro === 0n;
  if (isNothing) return null;
  const unchecked = await Promise.all(rows.map(async (row) => await waitsUnchecked(ctx, row)));
  return { heldMicro: String(heldMicro), wrong, overclaimed, unchecked: unchecked.includes(true) };
}

/** How a device stands with its models, for the device itself. A query has no clock, so it is as of the last event. */
export async function ownStandingsOf(
  ctx: QueryCtx,
  deviceId: Id<"devices">,
): Promise<Infer<typeof ownStanding>[]> {
  const rows = await rowsOf(ctx, deviceId);
  return await Promise.all(
    rows.map(async ({ modelId, standing: stored }) => {
      // Ratings that are too old are deleted, so all count.
      const ratings = await ratingsOf(ctx, deviceId, modelId, 0);
      const { rank, passed, counts } = toldStanding(withRatings(stored, ratings));
      return { modelId, rank, passed, counts: { ...counts } };
    }),
  );
}

/** Whether the pay of a device with a model waits for checks that nobody could make the last time. */
async function waitsUnchecked(
  ctx: QueryCtx,
  { deviceId, modelId, unchecked = false }: Doc<"standings">,
): Promise<boolean> {
  return unchecked && (await isAnyHeld(ctx, deviceId, modelId));
}

/**
 * How a device stands with its models, as of a moment, with the ratings of requesters. Who sees only their own devices learns no more
 * than these do.
 */
export async function standingsOf(
  ctx: QueryCtx,
  device: Doc<"devices">,
  { member, scope }: { readonly member: Member; readonly scope: Scope },
  now: number,
): Promise<Infer<typeof standingView>> {
  const { _id: deviceId } = device;
  const rows = await rowsOf(ctx, deviceId);
  const models = await Promise.all(
    rows.map(async (row) => {
      const { modelId, standing: stored } = row;
      const unchecked = await waitsUnchecked(ctx, row);
      const ratings = await ratingsOf(ctx, deviceId, modelId, now - ratedWithinMs);
      const standing = withRatings(faded(stored, now), ratings);
      const chance = scope === "all" ? meanOf(standing) : null;
      const { passed, counts } = scope === "all" ? standing : toldStanding(standing);
      return { modelId, rank: rankOf(standing), passed, counts: { ...counts }, chance, unchecked };
    }),
  );
  return {
    models,
    heldMicro: await heldOf(ctx, deviceId),
    isForOthers: await isForOthers(ctx, device, member),
  };
}

async function rowsOf(ctx: QueryCtx, deviceId: Id<"devices">): Promise<Doc<"standings">[]> {
  return await ctx.db
    .query("standings")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .take(mostModels);
}

async function heldOf(ctx: QueryCtx, deviceId: Id<"devices">): Promise<bigint> {
  return (await balanceOf(ctx, heldAccount(deviceId))).micro;
}

/** The pays of an owner that are added up. There are few, since new devices give few answers before they are checked. */
const mostHeldPays = 1_000;

/** The pay that waits for checks and goes to an owner: of devices that were theirs when they answered. */
export async function heldOfOwner(ctx: QueryCtx, owner: Owner): Promise<bigint> {
  const held = await ctx.db
    .query("heldPays")
    .withIndex("by_owner", (q) => q.eq("owner", owner).eq("paidBefore", undefined))
    .take(mostHeldPays);
  return held.reduce((sum, { micro }) => sum + micro, 0n);
}
