import { type Infer, v } from "convex/values";
import { requestStatusOf } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { orderOf, refuseDeletedJob } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { present, refuse } from "../refuse.ts";
import { requesterJob, requesterJobsOf, withOutlook } from "../requests/requesterJob.ts";
import { requestStatus } from "../validators/requests.ts";
import { isCallOver, statesOf } from "./calls.ts";
import { composite } from "./composite.ts";
import { decision, ranking } from "./validators.ts";

/** A call of several jobs as its requester sees it. */
export const callView = v.object({
  /** The call as one job. Its `jobId` is that of the first one. */
  job: requesterJob,
  jobIds: v.array(v.string()),
  /** Null: it is no ranking. */
  ranking: v.union(ranking, v.null()),
  /** How many vectors it asks for; 0: none, or as many as one job has, which always fit an answer. */
  vectors: v.number(),
  /** The job whose failure is that of the call. */
  failed: v.union(v.string(), v.null()),
  hasVotes: v.boolean(),
  /** Of its votes, once they are compared. */
  decision: v.union(decision, v.null()),
});
export type CallView = Infer<typeof callView>;

/** A call of a key, by its id. Refuses: not_found. */
export async function ownCall(
  ctx: QueryCtx,
  { _id: apiKeyId }: Doc<"apiKeys">,
  id: string,
): Promise<Doc<"calls">> {
  const callId = ctx.db.normalizeId("calls", id);
  const call = callId === null ? null : await ctx.db.get("calls", callId);
  return call?.apiKeyId === apiKeyId ? call : refuse("not_found", "There is no such job.");
}

/** Refuses: not_found, once the queue has deleted its jobs. */
export async function viewOfCall(ctx: QueryCtx, call: Doc<"calls">): Promise<CallView> {
  const { job, failed, waiting } = await compositeOf(ctx, call);
  // An outlook reads many rows, so only one is read. The answer needs all jobs.
  const order = waiting === null ? null : await orderOf(ctx, waiting);
  return {
    job: order === null ? job : await withOutlook(ctx, order, job),
    jobIds: call.jobIds,
    ranking: call.ranking ?? null,
    vectors: call.vectors?.count ?? 0,
    failed,
    hasVotes: call.vote !== undefined,
    decision: call.end?.decision ?? null,
  };
}

async function compositeOf(ctx: QueryCtx, call: Doc<"calls">) {
  const orders = await ordersOf(ctx, call);
  const [first, ...others] = await requesterJobsOf(ctx, orders);
  if (first === undefined || others.length + 1 < orders.length) return refuseDeletedJob();
  return composite([first, ...others], call);
}

async function ordersOf(ctx: QueryCtx, { jobIds }: Doc<"calls">): Promise<Doc<"orders">[]> {
  return await Promise.all(jobIds.map(async (jobId) => present(await orderOf(ctx, jobId), "order of a job")));
}

/** Whether a call has ended, and the statuses of its jobs, for a reader that waits. It reads little, so that it changes seldom. */
export const callState = v.object({ isOver: v.boolean(), statuses: v.array(requestStatus) });
export type CallState = Infer<typeof callState>;

export async function stateOfCall(ctx: QueryCtx, call: Doc<"calls">): Promise<CallState> {
  const jobs = await statesOf(ctx, call);
  return { isOver: isCallOver(call, jobs), statuses: jobs.map(({ status }) => requestStatusOf(status)) };
}

/** The inputs of an embedding job of a call, in their order. Null once they are deleted. */
export async function inputsOfJob(
  ctx: QueryCtx,
  { organizationId }: Doc<"calls">,
  jobId: string,
): Promise<string[] | null> {
  const stored = await queue.payload(ctx, organizationId, jobId);
  if (stored === null) return null;
  const { inputs } = stored.payload as unknown as { readonly inputs: readonly string[] };
  return [...inputs];
}
