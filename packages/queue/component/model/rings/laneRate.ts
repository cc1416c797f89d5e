import type { Rate } from "../../../shared/validators.ts";
import type { Doc, Id, MutationCtx } from "../builders.ts";
import { ringSize } from "../placement.ts";
import { isSlow, likelyMs, referenceRate } from "../speed.ts";
import { following, waitingPosition } from "./neighbors.ts";

/** The most homes that are read. They are a fair sample, since positions are random. */
const sampled = 32;
/** A smaller change is not written: every waiter's query reads the lane. */
const worthWriting = 0.1;

/**
 * Notes the speed that the lane's workers are compared with. Without the speeds of most of them there is none: then all
 * are treated alike.
 */
export async function noteRate(ctx: MutationCtx, lane: Doc<"lanes">): Promise<void> {
  const homes = await following(ctx, "homes", lane._id, Math.random() * ringSize, sampled);
  const rates = homes.flatMap(({ rate }) => rate ?? []);
  const rate = rates.length * 2 > homes.length ? referenceRate(rates) : null;
  if (rate === null && lane.rate === undefined) return;
  if (rate !== null && lane.rate !== undefined) {
    const unit = { input: 1, output: 1 };
    if (Math.abs(likelyMs(unit, rate) / likelyMs(unit, lane.rate) - 1) < worthWriting) return;
  }
  await ctx.db.patch("lanes", lane._id, { rate: rate ?? undefined });
  await sortWaiters(ctx, lane._id, rate ?? undefined);
}

/** Those of a larger fleet change their ring when they wait again. */
const mostSorted = 200;

/** Moves waiting workers that count as slow or fast now to the right ring. */
async function sortWaiters(
  ctx: MutationCtx,
  laneId: Id<"lanes">,
  reference: Rate | undefined,
): Promise<void> {
  const waiters = await ctx.db
    .query("stands")
    .withIndex("by_lane", (q) => q.eq("laneId", laneId))
    .take(mostSorted);
  for (const { _id, position, rate } of waiters) {
    const right = waitingPosition(position % ringSize, { slow: isSlow(rate, reference) });
    if (right !== position) await ctx.db.patch("stands", _id, { position: right });
  }
}
