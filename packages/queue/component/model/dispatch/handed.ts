import { convexToJson, type Value } from "convex/values";
import type { ClaimedJob } from "../../../shared/validators.ts";
import type { Doc, QueryCtx } from "../builders.ts";
import { attemptById } from "../jobs/held.ts";
import type { HandedTo, newestHanded } from "../jobs/payloads.ts";
import { defined } from "../load.ts";
import { claimedView } from "./assign.ts";

/** Of a larger payload, a worker sees no more once the job is over or taken from it. */
const smallChars = 4_096;

/** What is stored for the worker with this key that was handed a job. */
export function handedTo(
  keyHash: string,
  job: Pick<Doc<"jobs">, "kind" | "requirements" | "watched" | "deadlineAt">,
  { attemptId, number, fresh }: Pick<ClaimedJob, "attemptId" | "number" | "fresh">,
  now: number,
): HandedTo {
  const { kind, requirements, watched, deadlineAt } = job;
  const handed = { attemptId, number, kind, watched, ...defined({ fresh, requirements, deadlineAt }) };
  return { handedTo: keyHash, handedAt: now, handed };
}

/**
 * The newest job that the worker was handed while it waited, as it sees it. It may have ended: the worker knows the jobs
 * that it was given since its program started, and leaves those alone. So the query runs once for a job, and not again at
 * its end.
 */
export async function handedJobs(
  ctx: QueryCtx,
  { startedAt = 0 }: Doc<"workers">,
  row: Awaited<ReturnType<typeof newestHanded>>,
): Promise<ClaimedJob[]> {
  if (row?.handed === undefined || row.handedAt === undefined || row.handedAt < startedAt) return [];
  const { attemptId, number, fresh, ...job } = row.handed;
  if (!isSmall(row.payload) && (await attemptById(ctx, attemptId))?.status !== "prefetched") return [];
  const attempt = { attemptId, number, begun: false, fresh };
  // Queries have no clock, so the worker subtracts the time since the hand-over.
  return [claimedView({ job: { _id: row.jobId, ...job }, payload: row.payload }, attempt, row.handedAt)];
}

function isSmall(payload: Value): boolean {
  return JSON.stringify(convexToJson(payload)).length <= smallChars;
}
