import type { Infer } from "convex/values";
import { type FinalStatus, isFinal } from "../../../app/jobs/states.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { deleteBefore } from "../archives/oldRows.ts";
import { cancelOrder, orderOf, refuseDeletedJob } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { present, refuse } from "../refuse.ts";
import type { Submitted } from "../requests/submit.ts";
import type { deviceNeeds } from "../validators.ts";
import type { laterCall } from "./validators.ts";

/*
 * A call of several jobs that nobody has to wait for. The ends of its jobs move it on: after a failure its other jobs are canceled, and
 * second opinions are compared (votes.ts). So it costs nothing while its jobs wait.
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
  { ranking, vote }: Infer<typeof laterCall>,
  asked: Asked,
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
    ...(vote === undefined ? {} : { vote: { ...vote, ...ofVote(asked), isCounted: isRepeated } }),
  });
  for (const { _id } of orders) await ctx.db.patch("orders", _id, { call: callId });
  // Jobs of a call that has waited may have ended by now.
  if (vote !== undefined || isRepeated) await scheduleStep(ctx, callId);
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

async function scheduleStep(ctx: MutationCtx, callId: Id<"calls">): Promise<void> {
  await ctx.scheduler.runAfter(0, internal.calls.steps.goOn, { callId });
}

/** Lets a call go on after the end of one of its jobs. Call it in the transaction that ends the job. */
export async function callJobEnded(
  ctx: MutationCtx,
  callId: Id<"calls">,
  outcome: FinalStatus,
): Promise<void> {
  const call = await ctx.db.get("calls", callId);
  if (call === null || call.end !== undefined) return;
  if (call.vote !== undefined || outcome !== "succeeded") await scheduleStep(ctx, callId);
}

/** Cancels the other jobs of a call after one has failed: their answers would be of no use. Those that have ended stay. */
export async function cancelAfterFailure(ctx: MutationCtx, call: Doc<"calls">): Promise<void> {
  const jobs = await statesOf(ctx, call);
  if (jobs.some(({ status }) => isFinal(status) && status !== "succeeded")) await cancelOpen(ctx, jobs);
}

type JobState = Awaited<ReturnType<typeof statesOf>>[number];

/** Cancels those of a call's jobs that have not ended. Returns them. */
export async function cancelOpen(ctx: MutationCtx, jobs: readonly JobState[]): Promise<readonly JobState[]> {
  const open = jobs.filter(({ status }) => !isFinal(status));
  for (const { order } of open) await cancelOrder(ctx, order);
  return open;
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

/** Jobs are deleted 90 days after their end, which comes a week after their beginning at most. */
const keptMs = 100 * 24 * 3_600_000;
const deletedAtOnce = 500;

/** Deletes the next calls whose jobs are deleted. Returns whether there may be more. */
export async function deleteOldCalls(ctx: MutationCtx, now: number): Promise<boolean> {
  return (await deleteBefore(ctx, "calls", now - keptMs, deletedAtOnce)) === deletedAtOnce;
}
