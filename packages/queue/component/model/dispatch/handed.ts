import type { Doc, QueryCtx } from "../../builders.ts";
import type { ClaimedJob } from "../../validators.ts";
import { payloadOf } from "../jobs/rows.ts";
import { claimedView, type Viewable } from "./assign.ts";

/**
 * What a worker holds and has not begun, as it is told of it. One stage of reads for all of it; none for what its
 * attempt was handed with.
 */
export async function handedTo(ctx: QueryCtx, held: readonly Doc<"attempts">[]): Promise<ClaimedJob[]> {
  const waiting = held.filter(({ status }) => status === "prefetched");
  const found = await Promise.all(
    waiting.map(async (attempt): Promise<ClaimedJob[]> => {
      const given = await givenWith(ctx, attempt);
      if (given === null) return [];
      const held = { attemptId: attempt._id, number: attempt.number, begun: false };
      // Queries have no clock: the time since it was given is the worker's to know.
      return [claimedView(given, held, attempt.claimedAt)];
    }),
  );
  return found.flat();
}

async function givenWith(ctx: QueryCtx, { jobId, kind, handed }: Doc<"attempts">): Promise<Viewable | null> {
  if (handed !== undefined) return { job: { _id: jobId, kind, ...handed }, payload: handed.payload };
  const [job, payload] = await Promise.all([ctx.db.get("jobs", jobId), payloadOf(ctx, jobId)]);
  return job === null || payload === null ? null : { job, payload: payload.payload };
}
