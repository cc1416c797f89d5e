import type { Priority, SubmitOutcome } from "@gleaner/queue/validators";
import { assertNever } from "../../../app/assert-never.ts";
import { affinityOf } from "../../../app/jobs/affinity.ts";
import type { Work } from "../../../app/jobs/work.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { hashSecret } from "../keys/hash.ts";
import { keyAccount } from "../ledger/accounts.ts";
import { projectedBalance } from "../ledger/balance.ts";
import { reserve, worstCasePrice } from "../ledger/reserve.ts";
import { queue } from "../queue.ts";
import { refuse, refuseUntil, wellFormed } from "../refuse.ts";
import { thaw } from "../thaw.ts";
import { checkWork } from "./checkWork.ts";
import { fingerprintOf } from "./fingerprint.ts";

export type Submission = {
  readonly model: string;
  readonly work: Work;
  readonly stream: boolean;
  readonly priority?: Priority;
  readonly idempotencyKey?: string;
  readonly handOver?: boolean;
};

const maxIdempotencyChars = 255;
/** When asking again may help while an admin drains the model's lane. */
const drainingRetryMs = 60_000;

/** Puts a job into the queue, in one transaction with the reservation of what it can cost at most. */
export async function submit(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  submission: Submission,
  now: number,
): Promise<string> {
  const { organizationId, _id: apiKeyId } = key;
  const { work, stream, priority = "normal" } = submission;
  const [model, balanceMicro, once] = await Promise.all([
    ctx.db
      .query("models")
      .withIndex("by_organization_model", (q) =>
        q.eq("organizationId", organizationId).eq("modelId", submission.model),
      )
      .unique(),
    projectedBalance(ctx, keyAccount(apiKeyId)),
    onceUnder(key, submission),
  ]);
  if (!model?.enabled) refuse("model_not_found", "Your organization has no model of this name.");
  const { modelId, price, contextTokens } = model;
  const extent = checkWork(work, contextTokens);
  const affinity = affinityOf(modelId, work);

  const outcome = await queue.submit(
    ctx,
    organizationId,
    {
      kind: work.kind,
      payload: thaw(work.request),
      requirements: {
        model: modelId,
        ...(key.dataClass === undefined ? {} : { dataClass: key.dataClass }),
      },
      requester: apiKeyId,
      key: apiKeyId,
      priority,
      ...(affinity === null ? {} : { affinity }),
      watched: stream,
      ...once,
    },
    { handOver: submission.handOver ?? false },
  );
  if (outcome.kind !== "submitted") return refuseOutcome(outcome);
  const { jobId, repeated } = outcome;
  if (repeated) {
    // The first submission may not have been for a stream: the text is kept from now on.
    if (stream) await queue.follow(ctx, organizationId, jobId);
    return jobId;
  }

  const reservedMicro = worstCasePrice(price, extent);
  if (balanceMicro < reservedMicro) {
    refuse("quota_exceeded", "This API key has not enough credits left for the request.");
  }
  const order = { jobId, organizationId, apiKeyId, reservedMicro, round: 0 };
  const { most, vectors } = extent;
  const bounds = vectors === undefined ? { most } : { most, vectors };
  await Promise.all([
    ctx.db.insert("orders", { ...order, ...bounds, modelId, price }),
    reserve(ctx, order, now),
  ]);
  return jobId;
}

/** What makes one job of a repeated request. The queue's idempotency keys are the organization's, ours an API key's. */
async function onceUnder(
  key: Doc<"apiKeys">,
  { model, work, idempotencyKey }: Submission,
): Promise<{ readonly idempotencyKey?: string; readonly fingerprint?: string }> {
  if (idempotencyKey === undefined) return {};
  if (idempotencyKey === "" || idempotencyKey.length > maxIdempotencyChars) {
    refuse("invalid", `An idempotency key has 1 to ${String(maxIdempotencyChars)} characters.`);
  }
  wellFormed(idempotencyKey, "An idempotency key");
  return {
    idempotencyKey: await hashSecret(`${key._id}:${idempotencyKey}`),
    fingerprint: await fingerprintOf(model, work),
  };
}

function refuseOutcome(outcome: Exclude<SubmitOutcome, { kind: "submitted" }>): never {
  switch (outcome.kind) {
    case "full":
      return refuseUntil("queue_full", "Too many requests wait already.", outcome.retryAfterMs);
    case "draining":
      return refuseUntil(
        "draining",
        "This model takes no new requests of this kind at the moment.",
        drainingRetryMs,
      );
    case "conflict":
      return refuse("conflict", "This idempotency key was used before, for another request.");
    default:
      return assertNever(outcome);
  }
}
