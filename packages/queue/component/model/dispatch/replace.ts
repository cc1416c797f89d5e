import type { Doc, Id, QueryCtx } from "../../builders.ts";
import { firstPlaceAt, inLine, ringSize, seatOf } from "../placement.ts";
import { following } from "../rings/neighbors.ts";
import { wasUnfit } from "./unfit.ts";

/** Waiting workers looked at, to find one to wake. */
const asked = 8;

/**
 * Where a job stands after a worker could not do it: where one wakes that has not tried it. Else those that would be
 * woken could all be such that leave it alone, while others wait. Nobody waits: where it was, for whoever looks next,
 * also if it lay aside meanwhile.
 */
export async function placeForAnother(
  ctx: QueryCtx,
  job: Doc<"jobs">,
  failed: Id<"workers">,
): Promise<number> {
  const waiting = await following(ctx, "stands", job.laneId, Math.random() * ringSize, asked);
  const other = waiting.find(
    ({ workerId, position }) =>
      workerId !== failed && !wasUnfit(job, workerId) && Math.ceil(position) < ringSize,
  );
  return other === undefined
    ? inLine(job).place
    : firstPlaceAt(Math.ceil(other.position)) + seatOf(job.place);
}
