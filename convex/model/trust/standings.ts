import {
  faded,
  isOnProbation,
  newStanding,
  probationFrom,
  type Standing,
  type StandingEvent,
  withEvent,
} from "../../../app/trust/standing.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

/** A device and a model. */
export type Pair = {
  readonly organizationId: Id<"organizations">;
  readonly deviceId: Id<"devices">;
  readonly modelId: string;
};

/** The stored standing of a device with a model; null before anything is known. */
export async function standingRow(
  ctx: QueryCtx,
  { deviceId, modelId }: Omit<Pair, "organizationId">,
): Promise<Doc<"standings"> | null> {
  return await ctx.db
    .query("standings")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId).eq("modelId", modelId))
    .unique();
}

/** The standing in a row. Without one the device is new. */
export function standingIn(row: Doc<"standings"> | null, now: number): Standing {
  return row?.standing ?? newStanding(now);
}

/** The fields of a device and a model beside the standing: see the schema. */
type Changes = Partial<Pick<Doc<"standings">, "owed" | "waiting" | "unchecked" | "oddFormat" | "canaryAt">>;

/** Stores a standing, and the fields beside it that changed. */
export async function storeStanding(
  ctx: MutationCtx,
  pair: Pair,
  row: Doc<"standings"> | null,
  standing: Standing,
  changes: Changes = {},
): Promise<void> {
  const stored = { ...standing, counts: { ...standing.counts } };
  if (row === null)
    await ctx.db.insert("standings", { ...pair, standing: stored, owed: 0, waiting: 0, ...changes });
  else await ctx.db.patch("standings", row._id, { standing: stored, ...changes });
  await storeProbation(ctx, pair, standing);
}

type Probation = Doc<"probations"> | null;

async function probationRow(
  ctx: QueryCtx,
  { deviceId, modelId }: Omit<Pair, "organizationId">,
): Promise<Probation> {
  return await ctx.db
    .query("probations")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId).eq("modelId", modelId))
    .unique();
}

/** Rounding differs by less. */
const roundingMs = 60_000;
/** A device that works has the moment put off in this time. */
const renewedWithinMs = 7 * 24 * 3_600_000;

/**
 * Notes until when the device is certainly not new. Events of a standing seldom change that: a replay that fits puts the moment off, and
 * that is noted only when it comes near. So the ends of jobs read a row that is hardly ever written.
 */
async function storeProbation(ctx: MutationCtx, pair: Pair, standing: Standing): Promise<void> {
  const row = await probationRow(ctx, pair);
  const from = probationFrom(standing);
  if (row === null) {
    await ctx.db.insert("probations", { ...pair, from });
    return;
  }
  const isNear = row.from < standing.at + renewedWithinMs;
  if (from < row.from - roundingMs || (isNear && from > row.from + roundingMs))
    await ctx.db.patch("probations", row._id, { from });
}

/** Whether a device is new to a model, so that its pay is held. The ends of jobs ask that. */
export async function isNewTo(
  ctx: QueryCtx,
  pair: Omit<Pair, "organizationId">,
  now: number,
): Promise<boolean> {
  const row = await probationRow(ctx, pair);
  if (row !== null && (row.from === 0 || now < row.from)) return row.from === 0;
  // The moment may have been put off, nothing is known of the device, or an earlier version has written its standing.
  return isOnProbation(faded(standingIn(await standingRow(ctx, pair), now), now));
}

/** Adds an event to a standing. @returns the standing after it. */
export async function noteEvent(
  ctx: MutationCtx,
  { organizationId, deviceId, modelId }: Pair,
  event: StandingEvent,
  now: number,
  excess = 0,
): Promise<Standing> {
  const pair = { organizationId, deviceId, modelId };
  const row = await standingRow(ctx, pair);
  const after = withEvent(standingIn(row, now), event, now, excess);
  await storeStanding(ctx, pair, row, after);
  return after;
}

/** Counts a replay of the device's answers that waits or runs, or one less. */
export async function countWaiting(ctx: MutationCtx, pair: Pair, more: 1 | -1): Promise<void> {
  const row = await standingRow(ctx, pair);
  if (row !== null) await ctx.db.patch("standings", row._id, { waiting: Math.max(0, row.waiting + more) });
}

/** Notes whether nobody could check the last answer of a device with a model that was to be checked. */
export async function noteUnchecked(
  ctx: MutationCtx,
  pair: Omit<Pair, "organizationId">,
  unchecked: boolean,
): Promise<void> {
  const row = await standingRow(ctx, pair);
  if (row !== null && row.unchecked !== unchecked) await ctx.db.patch("standings", row._id, { unchecked });
}

/**
 * Notes what others found of the answers of a device in formats. Devices with the same old grammars are not asked, since these may be of
 * friends. Only answers that tell something count.
 * - `odd`: a device with other grammars found the last one odd.
 * - `right`: others found one right, and none odd since.
 * - `open`: a canary ended the doubt. It does not speak for other answers.
 * @returns whether that ends a doubt.
 */
export async function noteFormatReading(
  ctx: MutationCtx,
  pair: Omit<Pair, "organizationId">,
  found: "odd" | "right" | "open",
): Promise<boolean> {
  const row = await standingRow(ctx, pair);
  if (row === null) return false;
  const { oddFormat: before } = row;
  // A canary tells nothing new of a device that nobody doubts.
  const after = found === "odd" ? true : found === "right" ? false : before === true ? undefined : before;
  if (before !== after) await ctx.db.patch("standings", row._id, { oddFormat: after });
  return before === true && after !== true;
}
