import { isFinal } from "../../../app/jobs/states.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { queue, textsKeptMs } from "../queue.ts";
import { scheduleAnswerLook } from "./answerLooks.ts";
import { cancelRest, endCall, isCallOver, statesOf } from "./calls.ts";

/*
 * The answer of a call needs the answers of several jobs, and a job may wait for longer than the first answer is kept. So the kept time
 * of all begins with the end of the call. A look at half of that time comes before the queue deletes any of them. The end of a
 * call without an answer keeps no text any longer.
 */

/** Most calls end soon after their first answer. Then this share of the kept time is not worth a write for each job. */
const leastShare = 0.01;

/** A backend that was off for long may delete an answer before it looks. */
const answerDeleted = {
  code: "result_expired",
  message: "One of the answers of this call was deleted before the others came. Send the call again.",
};

/**
 * Keeps the answers of a call's jobs until the kept time after its end. Looks again until the call has ended. Ends a call one of whose
 * answers is deleted: its other jobs would be paid for nothing.
 */
export async function keepAnswers(ctx: MutationCtx, callId: Id<"calls">, now: number): Promise<void> {
  const call = await ctx.db.get("calls", callId);
  if (call === null || (call.end !== undefined && call.end.how !== "decided")) return;
  const jobs = await statesOf(ctx, call);
  const [first] = jobs;
  if (first === undefined) throw new Error("a call has no jobs");
  const isOver = isCallOver(call, jobs);
  const ballots = call.end?.decision?.ballots;
  const ended = jobs.filter(({ jobId, status }) => {
    // The answer of a vote may repeat the request, which only the first job has to keep.
    const isNeeded = ballots === undefined || ballots.includes(jobId) || jobId === first.jobId;
    return isNeeded && isFinal(status);
  });
  const endedAt = call.end?.at ?? Math.max(...ended.map(({ finishedAt }) => finishedAt ?? 0));
  const from = isOver ? endedAt : now;
  const leastMs = textsKeptMs(first.order) * leastShare;
  const jobIds = ended.flatMap(({ jobId, finishedAt }) =>
    (finishedAt ?? 0) < from - leastMs ? [jobId] : [],
  );
  const deleted = jobIds.length === 0 ? [] : await queue.keepFrom(ctx, call.organizationId, jobIds, from);
  if (isOver) return;
  // A vote is decided by the answers that are left.
  if (deleted.length > 0 && call.vote === undefined) {
    await endCall(ctx, call, { at: now, how: "failed", error: answerDeleted });
    await cancelRest(ctx, callId, now);
  } else {
    await scheduleAnswerLook(ctx, callId, first.order, now);
  }
}
