import { type Infer, v } from "convex/values";
import { addCharges, type KeyCharge, paidByKey } from "../../../app/credits/key-statement.ts";
import { visibleText } from "../../../app/format/visible.ts";
import { dayOf } from "../../../app/keys/quotas.ts";
import { monthOf } from "../../../app/usage/months.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { refuse } from "../refuse.ts";
import { keyCharge, keyFree, keyMoveSource } from "../validators/credits.ts";

/** Statements go back so far. */
const mostMonths = 24;
/** Bounds what one query reads. */
const mostMoves = 1_000;
const perSweep = 3;

/** A job that ended. `charge` null: it ended without an answer, or cost nothing. */
export type KeyJob = {
  readonly apiKeyId: Id<"apiKeys">;
  /** The time of its end; ms epoch. */
  readonly at: number;
  readonly charge: KeyCharge | null;
  readonly free: keyof Doc<"keyMonths">["free"] | null;
};

const noneFree = { own: 0, failed: 0, canceled: 0, expired: 0 };

/** Adds jobs that ended to the months of their keys. Called where the statistics count them, so each is added once. */
export async function addKeyJobs(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  jobs: readonly KeyJob[],
): Promise<void> {
  const groups = new Map<string, KeyJob[]>();
  for (const job of jobs) {
    const name = `${job.apiKeyId} ${String(monthOf(job.at))}`;
    groups.set(name, [...(groups.get(name) ?? []), job]);
  }
  for (const group of groups.values()) await addToMonth(ctx, organizationId, group);
}

async function addToMonth(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  jobs: readonly KeyJob[],
): Promise<void> {
  const [first] = jobs;
  if (first === undefined) return;
  const { apiKeyId } = first;
  const startAt = monthOf(first.at);
  const row = await monthRow(ctx, apiKeyId, startAt);
  const free = { ...(row?.free ?? noneFree) };
  for (const job of jobs) if (job.free !== null) free[job.free] += 1;
  const added = jobs.flatMap(({ charge }) => charge ?? []);
  const charges = addCharges(row?.charges ?? [], added);
  if (row !== null) {
    await ctx.db.patch("keyMonths", row._id, { charges, free });
    return;
  }
  await ctx.db.insert("keyMonths", { organizationId, apiKeyId, startAt, charges, free });
  const old = await ctx.db
    .query("keyMonths")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).lt("startAt", monthOf(startAt, -mostMonths)))
    .take(perSweep);
  for (const { _id } of old) await ctx.db.delete("keyMonths", _id);
  const paid = old.reduce((sum, month) => sum + paidByKey(month), 0n);
  await addUpOldMoves(ctx, apiKeyId, monthOf(startAt, -mostMonths), -paid);
}

/**
 * Makes one row of some moves that no statement shows any more, so that the balances of later ones begin right.
 * @param added further credits, such as those that deleted months cost.
 */
async function addUpOldMoves(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  before: number,
  added = 0n,
): Promise<void> {
  const [first, ...others] = await ctx.db
    .query("keyMoves")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).lt("at", before))
    .take(perSweep);
  const sum = others.reduce((total, { micro }) => total + micro, added);
  if (first !== undefined && (others.length > 0 || sum !== 0n))
    await ctx.db.patch("keyMoves", first._id, {
      micro: first.micro + sum,
      note: undefined,
      source: undefined,
    });
  else if (sum !== 0n) await ctx.db.insert("keyMoves", { apiKeyId, at: before - 1, micro: sum });
  for (const { _id } of others) await ctx.db.delete("keyMoves", _id);
}

async function monthRow(
  ctx: QueryCtx,
  apiKeyId: Id<"apiKeys">,
  startAt: number,
): Promise<Doc<"keyMonths"> | null> {
  return await ctx.db
    .query("keyMonths")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).eq("startAt", startAt))
    .unique();
}

/**
 * Notes credits that a key was given, or that were taken back, for its statement. Moves of one day (UTC) from one source and with one note are one, and so
 * are those that no statement shows any more.
 */
export async function noteKeyMove(
  ctx: MutationCtx,
  move: Omit<Doc<"keyMoves">, "_id" | "_creationTime">,
): Promise<void> {
  const last = await ctx.db
    .query("keyMoves")
    .withIndex("by_key", (q) => q.eq("apiKeyId", move.apiKeyId))
    .order("desc")
    .first();
  const isSame =
    last !== null &&
    last.note === move.note &&
    JSON.stringify(last.source) === JSON.stringify(move.source) &&
    dayOf(last.at) === dayOf(move.at);
  if ((move.note !== undefined || move.source !== undefined) && isSame)
    await ctx.db.patch("keyMoves", last._id, { micro: last.micro + move.micro });
  else await ctx.db.insert("keyMoves", move);
  await addUpOldMoves(ctx, move.apiKeyId, monthOf(move.at, -mostMonths));
}

export const keyStatement = v.object({
  name: v.string(),
  /** The start of the month (UTC) and of the next one; ms epoch. */
  from: v.number(),
  to: v.number(),
  /** The jobs that ended in the month, by price. */
  charges: v.array(keyCharge),
  free: keyFree,
  /** Credits that it was given or that were taken back, oldest first. */
  moves: v.array(
    v.object({
      at: v.number(),
      micro: v.int64(),
      source: v.optional(keyMoveSource),
      note: v.union(v.string(), v.null()),
    }),
  ),
  /** The balances before and after it, with what open jobs hold. */
  openingMicro: v.int64(),
  closingMicro: v.int64(),
});

/** The statement of one month (UTC) of a key. Jobs of the last two minutes are missing. Refuses: invalid. */
export async function keyStatementOf(
  ctx: QueryCtx,
  { _id: apiKeyId, name }: Doc<"apiKeys">,
  at: number,
  now: number,
): Promise<Infer<typeof keyStatement>> {
  if (!Number.isFinite(at) || at > now || monthOf(at) < monthOf(now, -mostMonths))
    refuse("invalid", `Statements are of this month, or of the ${String(mostMonths)} months before.`);
  const [from, to] = [monthOf(at), monthOf(at, 1)];
  const [openingMicro, row, moves] = await Promise.all([
    balanceBefore(ctx, apiKeyId, from),
    monthRow(ctx, apiKeyId, from),
    ctx.db
      .query("keyMoves")
      .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).gte("at", from).lt("at", to))
      .take(mostMoves),
  ]);
  const charges = row?.charges ?? [];
  return {
    name: visibleText(name),
    from,
    to,
    charges,
    openingMicro,
    closingMicro: moves.reduce((sum, { micro }) => sum + micro, openingMicro) - paidByKey({ charges }),
    free: row?.free ?? noneFree,
    moves: moves.map(({ at: movedAt, micro, source, note = null }) => ({
      at: movedAt,
      micro,
      ...(source === undefined ? {} : { source }),
      note,
    })),
  };
}

/** More months and moves than two years have. */
const mostBefore = { months: 2 * mostMonths, moves: 10_000 };

/** The balance of a key at the beginning of a month: the credits given to it before, less the cost of its ended jobs. */
async function balanceBefore(ctx: QueryCtx, apiKeyId: Id<"apiKeys">, from: number): Promise<bigint> {
  const [months, moves] = await Promise.all([
    ctx.db
      .query("keyMonths")
      .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).lt("startAt", from))
      .take(mostBefore.months),
    ctx.db
      .query("keyMoves")
      .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).lt("at", from))
      .take(mostBefore.moves),
  ]);
  const paid = months.reduce((sum, month) => sum + paidByKey(month), 0n);
  return moves.reduce((sum, { micro }) => sum + micro, -paid);
}
