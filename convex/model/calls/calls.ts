import type { FinalEvent } from "@gleaner/queue/validators";
import type { Infer } from "convex/values";
import { isFinal } from "../../../app/jobs/states.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { deleteBefore } from "../archives/oldRows.ts";
import { recordCancel } from "../audit.ts";
import { cancelOrder, orderOf, refuseDeletedJob } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { present, refuse } from "../refuse.ts";
import type { Submitted } from "../requests/submission.ts";
import type { deviceNeeds } from "../validators/keys.ts";
import { tellCallEnd } from "../webhooks/events.ts";
import { scheduleAnswerLook } from "./answerLooks.ts";
import { scheduleStep } from "./steps.ts";
import type { callEnd, laterCall } from "./validators.ts";

/*
 * A call of several jobs that nobody has to wait for. The ends of its jobs move it on: the first failure ends it and cancels its other
 * jobs, and second opinions are compared (votes.ts). While its jobs wait, it costs only a look at its answers in each
 * half of their kept time (answers.ts).
 */

/** The submission of a call. Further votes need some of its fields. */
type Asked = Pick<Doc<"orders">, "alias"> & {
  readonly requires?: Infer<typeof deviceNeeds>;
  readonly expiresInMs?: number;
  readonly idempotencyKey?: string;
  readonly part?: { readonly callHash: string };
};

/**
 * Remembers the jobs of a call, in the transaction that submits them. A repeated call finds the first one. Refuses: conflict (another
 * ranking of the same texts).
 */
export async function beginCall(
  ctx: MutationCtx,
  { _id: apiKeyId, organizationId }: Doc<"apiKeys">,
  jobs: readonly Submitted[],
  { ranking, vote, vectors }: Infer<typeof laterCall>,
  asked: Asked,
  now: number,
): Promise<Id<"calls">> {
  const orders = await Promise.all(
    jobs.map(async ({ jobId }) => present(await orderOf(ctx, jobId), "order of a job")),
  );
  const known = orders[0]?.call;
  if (known !== undefined) {
    const call = present(await ctx.db.get("calls", known), "call of a job");
    if (JSON.stringify(call.ranking) !== JSON.stringify(ranking))
      refuse("conflict", "This idempotency key was used before, for another request.");
    return known;
  }
  const isRepeated = jobs.some(({ repeated }) => repeated);
  const callId = await ctx.db.insert("calls", {
    organizationId,
    apiKeyId,
    jobIds: jobs.map(({ jobId }) => jobId),
    ...(ranking === undefined ? {} : { ranking }),
    // The vectors of one job always fit an answer.
    ...(vectors === undefined || jobs.length === 1 ? {} : { vectors: { count: vectors, fit: false } }),
    ...(vote === undefined ? {} : { vote: { ...vote, ...ofVote(asked), isRepeated } }),
  });
  const [first] = orders;
  // Jobs of a call that has waited were submitted before.
  if (first !== undefined) await scheduleAnswerLook(ctx, callId, first, first._creationTime);
  for (const { _id } of orders) await ctx.db.patch("orders", _id, { call: callId });
  if (vote !== undefined) await scheduleStep(ctx, callId, now, now);
  else if (isRepeated) await endIfFailed(ctx, callId, now);
  return callId;
}

function ofVote({ alias, requires, expiresInMs, idempotencyKey, part }: Asked) {
  if (idempotencyKey === undefined || part === undefined) throw new Error("a vote has no name");
  return {
    ...(alias === undefined ? {} : { alias }),
    ...(requires === undefined ? {} : { requires }),
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
    idempotencyKey,
    callHash: part.callHash,
  };
}

/** Ends a call whose jobs were those of a call that has waited: they may have failed by now. */
async function endIfFailed(ctx: MutationCtx, callId: Id<"calls">, now: number): Promise<void> {
  const call = present(await ctx.db.get("calls", callId), "call");
  const first = firstFailure(await statesOf(ctx, call));
  if (first === null) return;
  const { finishedAt: at, ...failed } = first;
  await endCall(ctx, call, { at, how: "failed", failed });
  await scheduleStep(ctx, callId, now, now);
}

/** The job that has failed first. The others were canceled after it. */
function firstFailure(jobs: readonly JobState[]) {
  const failures = jobs.flatMap(({ jobId, status, finishedAt }) =>
    isFinal(status) && status !== "succeeded" ? [{ jobId, status, finishedAt: finishedAt ?? 0 }] : [],
  );
  const [first = null] = failures.toSorted(
    (a, b) =>
      a.finishedAt - b.finishedAt || Number(a.status === "canceled") - Number(b.status === "canceled"),
  );
  return first;
}

/** Lets a call go on after the end of one of its jobs. Call it in the transaction that ends the job. */
export async function callJobEnded(
  ctx: MutationCtx,
  callId: Id<"calls">,
  { jobId, outcome }: Pick<FinalEvent, "jobId" | "outcome">,
  now: number,
): Promise<void> {
  const call = await ctx.db.get("calls", callId);
  if (call === null || call.end !== undefined) return;
  if (call.vote === undefined) {
    if (outcome === "succeeded") {
      if (call.vectors?.fit === false) await scheduleStep(ctx, callId, now, now);
      return;
    }
    await endCall(ctx, call, { at: now, how: "failed", failed: { jobId, status: outcome } });
  }
  await scheduleStep(ctx, callId, now, now);
}

/** Ends a call. Cancel its open jobs afterward: as the call has ended, their ends change nothing about it. */
export async function endCall(
  ctx: MutationCtx,
  call: Doc<"calls">,
  end: Infer<typeof callEnd>,
): Promise<void> {
  await ctx.db.patch("calls", call._id, { end });
  await tellCallEnd(ctx, call, end);
}

/** A small number, because the end of each job writes many rows. */
const canceledAtOnce = 25;

/** Cancels the next jobs of a call that has ended: their answers would be of no use. Schedules a step for the rest. */
export async function cancelRest(ctx: MutationCtx, callId: Id<"calls">, now: number): Promise<void> {
  const call = present(await ctx.db.get("calls", callId), "call");
  if (call.end?.how !== "canceled" && isRepeatedVote(call)) return;
  const open = (await statesOf(ctx, call)).filter(({ status }) => !isFinal(status));
  for (const { order } of open.slice(0, canceledAtOnce)) {
    await cancelOrder(ctx, order);
    if (call.end?.how === "canceled") await recordCancel(ctx, order, now);
  }
  if (open.length > canceledAtOnce) await scheduleStep(ctx, callId, now, now);
}

function isRepeatedVote({ vote }: Doc<"calls">): boolean {
  return vote?.isRepeated === true;
}

type JobState = Awaited<ReturnType<typeof statesOf>>[number];

/** Cancels jobs of a call that has not ended, unless another call may wait for them. */
export async function cancelOpen(
  ctx: MutationCtx,
  call: Doc<"calls">,
  jobs: readonly JobState[],
): Promise<void> {
  if (isRepeatedVote(call)) return;
  for (const { order, status } of jobs) if (!isFinal(status)) await cancelOrder(ctx, order);
}

/** The jobs of a call with their orders, in their order. Refuses: not_found, once the queue has deleted one. */
export async function statesOf(ctx: QueryCtx, { organizationId, jobIds }: Doc<"calls">) {
  return await Promise.all(
    jobIds.map(async (jobId) => {
      const [order, job] = await Promise.all([orderOf(ctx, jobId), queue.status(ctx, organizationId, jobId)]);
      if (order === null || job === null) return refuseDeletedJob();
      const { status, startedAt, finishedAt, kind } = job;
      return { order, jobId, kind, status, startedAt, finishedAt };
    }),
  );
}

/** Whether a call has ended. One without votes has as soon as all of its jobs have succeeded. */
export function isCallOver(
  { end, vote }: Pick<Doc<"calls">, "end" | "vote">,
  jobs: readonly Pick<JobState, "status">[],
): boolean {
  return end !== undefined || (vote === undefined && jobs.every(({ status }) => status === "succeeded"));
}

/** Jobs are deleted 90 days after their end, which comes a week after their beginning at most. */
const keptMs = 100 * 24 * 3_600_000;
const deletedAtOnce = 500;

/** Deletes the next calls whose jobs are deleted. Returns whether there may be more. */
export async function deleteOldCalls(ctx: MutationCtx, now: number): Promise<boolean> {
  return (await deleteBefore(ctx, "calls", now - keptMs, deletedAtOnce)) === deletedAtOnce;
}
