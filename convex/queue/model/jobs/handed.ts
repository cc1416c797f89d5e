import type { Doc, QueryCtx } from "../../builders.ts";
import type { ClaimedJob } from "../../validators.ts";
import { claimedView } from "./give.ts";
import { payloadOf } from "./rows.ts";

/** What a worker holds and has not begun, as it is told of it. One stage of reads for all of it. */
export async function handedTo(ctx: QueryCtx, held: readonly Doc<"attempts">[]): Promise<ClaimedJob[]> {
  const waiting = held.filter(({ status }) => status === "prefetched");
  const found = await Promise.all(
    waiting.map(async (attempt): Promise<ClaimedJob[]> => {
      if (attempt.handed !== undefined) return [seenFrom(attempt, attempt.handed)];
      const [job, payload] = await Promise.all([
        ctx.db.get("jobs", attempt.jobId),
        payloadOf(ctx, attempt.jobId),
      ]);
      if (job === null || payload === null) return [];
      const held = { attemptId: attempt._id, number: attempt.number, begun: false };
      // Queries have no clock: the time since it was given is the worker's to know.
      return [claimedView({ job, payload: payload.payload }, held, attempt.claimedAt)];
    }),
  );
  return found.flat();
}

/** What it was handed with everything that it needs. */
function seenFrom(
  { _id, jobId, kind, number, claimedAt }: Doc<"attempts">,
  { payload, requirements = {}, watched, deadlineAt }: NonNullable<Doc<"attempts">["handed"]>,
): ClaimedJob {
  const remainingMs = deadlineAt === undefined ? null : Math.max(0, deadlineAt - claimedAt);
  return { attemptId: _id, number, begun: false, jobId, kind, payload, requirements, watched, remainingMs };
}
