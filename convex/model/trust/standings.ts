import { newStanding, type Standing, type StandingEvent, withEvent } from "../../../app/trust/standing.ts";
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

/** Notes whether the last answer in a format that tells something was odd, by the word of devices with other grammars. */
export async function noteOddFormat(
  ctx: MutationCtx,
  pair: Omit<Pair, "organizationId">,
  oddFormat: boolean,
): Promise<void> {
  const row = await standingRow(ctx, pair);
  if (row !== null && (row.oddFormat ?? false) !== oddFormat)
    await ctx.db.patch("standings", row._id, { oddFormat });
}
