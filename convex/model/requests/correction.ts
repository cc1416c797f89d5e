import { ConvexError, type Infer } from "convex/values";
import { tooFewCredits } from "../../../app/credits/too-few.ts";
import { jobTimes } from "../../../app/jobs/limits.ts";
import { parseWork } from "../../../app/jobs/payload/payload.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { availableOf } from "../ledger/holds.ts";
import { projectedUse } from "../ledger/keyDays.ts";
import { highestMicro } from "../ledger/reservations.ts";
import { orderOf } from "../orders/orders.ts";
import { policyWith, queue, textsKeptMs } from "../queue.ts";
import { present, type Refusal, refuse } from "../refuse.ts";
import { holdBudgets } from "../usage/budgetStops.ts";
import type { work as workValidator } from "../validators/requests.ts";
import { checkNew, checkQuotas, heldOrder, placeOrder, prepare, refuseOutcome } from "./submit.ts";

/** A correction with less time would expire before a device has answered it, and nobody would try again. */
const leastMs = 10 * 60_000;

/** An allowance may renew, or somebody may give some. */
const creditsRetryMs = 3_600_000;

/**
 * Submits the request of a job with a wrong answer again, for the same key and at its price of now. No device gets it that answered the
 * job, or an earlier correction. Its payload, requirements and data class are those of the first job, whatever its key asks for by now.
 * It ends before the texts of the first job are deleted.
 * @returns the new job's id. Refuses: not_found (its text is deleted, or will be within minutes), revoked, quota_exceeded, queue_full, draining, model_not_found,
 * priority_not_allowed, key_restricted.
 */
export async function submitCorrection(ctx: MutationCtx, jobId: string, now: number): Promise<string> {
  const wrong = present(await orderOf(ctx, jobId), "order of a job");
  const { organizationId, apiKeyId, modelId, priority = "normal", callForm, dataClass, keptHours } = wrong;
  const [key, view, payload] = await Promise.all([
    ctx.db.get("apiKeys", apiKeyId),
    queue.status(ctx, organizationId, jobId),
    queue.payload(ctx, organizationId, jobId),
  ]);
  if (key === null || key.revokedAt !== undefined || (key.expiresAt ?? Infinity) <= now)
    refuse("revoked", "Its API key was revoked or has expired.");
  if (key.models?.includes(modelId) === false)
    refuse("model_not_found", "Its API key may not use this model.");
  const work = view === null || payload === null ? null : parseWork(view.kind, payload.payload);
  if (view === null || payload === null || work === null) refuse("not_found", "Its request was deleted.");
  const deletedAt = (view.finishedAt ?? now) + textsKeptMs(wrong);
  if (deletedAt - now < leastMs) refuse("not_found", "Its request is deleted too soon for another answer.");

  const asked = {
    model: modelId,
    work: work as Infer<typeof workValidator>,
    ...(callForm === undefined ? {} : { callForm }),
    stream: false,
    priority,
    pricedClass: dataClass ?? null,
  };
  const prepared = await prepare(ctx, key, asked, now);
  const { policy: _, affinity: __, ...job } = prepared.job;
  const { dataClass: ___, keptHours: ____, ...rest } = prepared.order;
  const outcome = await queue.submit(ctx, organizationId, {
    ...job,
    payload: payload.payload,
    requirements: view.requirements,
    deadlineAt: Math.min(now + jobTimes.usualMs, deletedAt),
    apart: await firstOf(ctx, wrong),
    ...(keptHours === undefined ? {} : { policy: policyWith({ keptHours }) }),
  });
  if (outcome.kind !== "submitted") return refuseOutcome(outcome, false);
  // A device has met the requirements before.
  await checkNew(ctx, key, { ...prepared, needs: {} }, now);
  if (key.quotas !== undefined) checkQuotas(key, await projectedUse(ctx, apiKeyId, now), rest, now);
  const held = await heldOrder(ctx, rest);
  if (held === null) {
    const message = tooFewCredits("The request", highestMicro(rest), await availableOf(ctx, apiKeyId));
    throw new ConvexError<Refusal>({ code: "quota_exceeded", message, retryAfterMs: creditsRetryMs });
  }
  const stopped = await holdBudgets(ctx, key, held.reservedMicro, now);
  if (stopped !== null) throw new ConvexError(stopped);
  const order = {
    ...held,
    jobId: outcome.jobId,
    corrects: jobId,
    ...(dataClass === undefined ? {} : { dataClass }),
    ...(keptHours === undefined ? {} : { keptHours }),
  };
  await placeOrder(ctx, key, order, now);
  return outcome.jobId;
}

/** The job whose wrong answer was corrected first. All its corrections are kept apart by its id. */
async function firstOf(ctx: MutationCtx, { jobId, corrects }: Doc<"orders">): Promise<string> {
  if (corrects === undefined) return jobId;
  const before = await orderOf(ctx, corrects);
  return before === null ? corrects : await firstOf(ctx, before);
}
