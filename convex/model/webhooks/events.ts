import type { FinalEvent } from "@gleaner/queue/validators";
import { validate } from "convex-helpers/validators";
import { shownId } from "../../../app/batches/openai-objects.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { textAnswer } from "../validators.ts";
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
    if (!isResponse) return [job];
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

/** Tells webhooks that a response with votes has ended. Call it in the transaction that ends it. */
export async function tellVoteEnd(
  ctx: MutationCtx,
  { _id, organizationId, apiKeyId, jobIds: [first = ""] }: Doc<"calls">,
  { at, how, decision }: NonNullable<Doc<"calls">["end"]>,
): Promise<void> {
  if ((await orderOf(ctx, first))?.callForm !== "response") return;
  const outcome = ({ decided: "succeeded", failed: "failed", canceled: "canceled" } as const)[how];
  const events = async (): Promise<readonly Told[]> => {
    const type = await responseEvent(ctx, organizationId, outcome, decision?.answer ?? first);
    return [{ type, data: { id: shownId("response", shownId("call", _id)) } }];
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
