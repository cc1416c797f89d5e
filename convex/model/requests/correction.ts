import type { Infer } from "convex/values";
import { parseWork } from "../../../app/jobs/payload.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { orderOf } from "../orders/orders.ts";
import { policyWith, queue } from "../queue.ts";
import { present, refuse } from "../refuse.ts";
import { stoppedBy } from "../usage/budgetStops.ts";
import type { work as workValidator } from "../validators.ts";
import { checkNew, heldOrder, placeOrder, prepare, refuseOutcome } from "./submit.ts";

/**
 * Submits the request of a job with a wrong answer again, for the same key and at its price of now. No device gets it that answered the
 * job, or an earlier correction. It has the requirements and the data class of the first job, which its key may not ask for by now.
 * @returns the new job's id. Refuses: not_found (its text is deleted), revoked, as `prepare` and `checkNew`, quota_exceeded, queue_full,
 * draining.
 */
export async function submitCorrection(ctx: MutationCtx, jobId: string, now: number): Promise<string> {
  const wrong = present(await orderOf(ctx, jobId), "order of a job");
  const { organizationId, apiKeyId, modelId, priority = "normal", dataClass, keptHours } = wrong;
  const [key, view, payload] = await Promise.all([
    ctx.db.get("apiKeys", apiKeyId),
    queue.status(ctx, organizationId, jobId),
    queue.payload(ctx, organizationId, jobId),
  ]);
  if (key === null || key.revokedAt !== undefined || (key.expiresAt ?? Infinity) <= now)
    refuse("revoked", "Its API key was revoked or has expired.");
  const work = view === null || payload === null ? null : parseWork(view.kind, payload.payload);
  if (view === null || work === null) refuse("not_found", "Its request was deleted.");

  const asked = { model: modelId, work: work as Infer<typeof workValidator>, stream: false, priority };
  const prepared = await prepare(ctx, key, asked, now);
  const { policy: _, ...job } = prepared.job;
  const { dataClass: __, keptHours: ___, ...order } = prepared.order;
  const outcome = await queue.submit(ctx, organizationId, {
    ...job,
    requirements: view.requirements,
    apart: await firstOf(ctx, wrong),
    ...(keptHours === undefined ? {} : { policy: policyWith({ keptHours }) }),
  });
  if (outcome.kind !== "submitted") return refuseOutcome(outcome, false);
  await checkNew(ctx, key, prepared, now);
  const stopped = await stoppedBy(ctx, key, now);
  if (stopped !== null) refuse(stopped.code, stopped.message);
  const held = await heldOrder(ctx, order);
  if (held === null) refuse("quota_exceeded", "Its API key has too few credits.");
  await placeOrder(
    ctx,
    key,
    {
      ...held,
      jobId: outcome.jobId,
      corrects: jobId,
      ...(dataClass === undefined ? {} : { dataClass }),
      ...(keptHours === undefined ? {} : { keptHours }),
    },
    now,
  );
  return outcome.jobId;
}

/** The job whose wrong answer was corrected first. All its corrections are kept apart by its id. */
async function firstOf(ctx: MutationCtx, { jobId, corrects }: Doc<"orders">): Promise<string> {
  if (corrects === undefined) return jobId;
  const before = await orderOf(ctx, corrects);
  return before === null ? corrects : await firstOf(ctx, before);
}
