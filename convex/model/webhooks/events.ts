import type { FinalEvent } from "@gleaner/queue/validators";
import { validate } from "convex-helpers/validators";
import { shownId } from "../../../app/batches/openai-objects.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { textAnswer } from "../validators/answers.ts";
import { tellWebhooks, type Told } from "./deliveries.ts";

const jobEvents = {
  succeeded: "job.completed",
  failed: "job.failed",
  canceled: "job.canceled",
  expired: "job.expired",
} as const satisfies Readonly<Record<FinalEvent["outcome"], Told["type"]>>;

/**
 * Tells webhooks that a job has ended. Call it in the transaction that ends the job, before its order is closed. Requests of
 * batches are told by the end of their batch.
 */
export async function tellJobEnd(
  ctx: MutationCtx,
  order: Doc<"orders">,
  event: FinalEvent,
  now: number,
): Promise<void> {
  if (order.batchLine !== undefined) return;
  const { organizationId, apiKeyId, jobId } = order;
  const events = async (): Promise<readonly Told[]> => {
    const { call } = order;
    const ofCall = call === undefined ? {} : { call: shownId("call", call) };
    const data = { id: jobId, status: event.outcome, ...ofCall };
    const job: Told = { type: jobEvents[event.outcome], data };
    // A chat that ends with its call can be fetched no more, no call has asked for a correction, and a part of a call is no response.
    const outlives = order.endsWithCall !== true && order.corrects === undefined && call === undefined;
    const isResponse = event.kind === "chat" && outlives;
    if (!isResponse) return [job, ...(await lastOfCall(ctx, order, event))];
    const type = await responseEvent(ctx, event.scope, event.outcome, jobId);
    return [job, { type, data: { id: shownId("response", jobId) } }];
  };
  await tellWebhooks(ctx, organizationId, apiKeyId, events, now);
}

async function responseEvent(
  ctx: MutationCtx,
  scope: string,
  outcome: FinalEvent["outcome"],
  jobId: string,
): Promise<Told["type"]> {
  if (outcome === "canceled") return "response.cancelled";
  if (outcome !== "succeeded") return "response.failed";
  const answer = (await queue.result(ctx, scope, jobId))?.result;
  const isCut = validate(textAnswer, answer) && answer.finishReason === "length";
  return isCut ? "response.incomplete" : "response.completed";
}

/** The event of a call that is answered with the last answer of its jobs. Other ends of calls are told by `tellCallEnd`. */
async function lastOfCall(
  ctx: MutationCtx,
  { call: callId, organizationId, jobId: ended }: Doc<"orders">,
  { outcome }: FinalEvent,
): Promise<readonly Told[]> {
  const call = callId === undefined || outcome !== "succeeded" ? null : await ctx.db.get("calls", callId);
  if (call === null || call.vote !== undefined || call.end !== undefined) return [];
  // Later jobs probably end later, so the first one that is read is mostly open.
  for (const jobId of call.jobIds.toReversed())
    if (jobId !== ended && (await queue.status(ctx, organizationId, jobId))?.status !== "succeeded")
      return [];
  return [callEvent(call, outcome)];
}

function callEvent({ _id }: Doc<"calls">, status: FinalEvent["outcome"]): Told {
  return { type: jobEvents[status], data: { id: shownId("call", _id), status } };
}

/** Tells webhooks that a call of several jobs has ended. Call it in the transaction that ends it. */
export async function tellCallEnd(
  ctx: MutationCtx,
  call: Doc<"calls">,
  { at, how, failed, decision }: NonNullable<Doc<"calls">["end"]>,
): Promise<void> {
  const { _id, organizationId, apiKeyId } = call;
  const [first = ""] = call.jobIds;
  const outcome = how === "decided" ? "succeeded" : how;
  const events = async (): Promise<readonly Told[]> => {
    const ofCall = callEvent(call, failed?.status ?? outcome);
    if ((await orderOf(ctx, first))?.callForm !== "response") return [ofCall];
    const type = await responseEvent(ctx, organizationId, outcome, decision?.answer ?? first);
    return [ofCall, { type, data: { id: shownId("response", shownId("call", _id)) } }];
  };
  await tellWebhooks(ctx, organizationId, apiKeyId, events, at);
}

/** Tells webhooks that a batch has ended. `status`: the one that it has now. */
export async function tellBatchEnd(
  ctx: MutationCtx,
  { _id, organizationId, apiKeyId }: Doc<"batches">,
  status: "completed" | "failed" | "expired" | "cancelled",
  now: number,
): Promise<void> {
  const told: Told = { type: `batch.${status}`, data: { id: shownId("batch", _id) } };
  await tellWebhooks(ctx, organizationId, apiKeyId, () => [told], now);
}
