import type { Infer } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { hashSecret } from "../keys/hash.ts";
import { keyAccount } from "../ledger/accounts.ts";
import { projectedBalance } from "../ledger/balance.ts";
import { reserve, worstCasePrice } from "../ledger/reserve.ts";
import { refuse, wellFormed } from "../refuse.ts";
import type { chatRequest } from "../validators.ts";
import { checkRequest } from "./check.ts";

export type Submission = {
  readonly model: string;
  readonly request: Infer<typeof chatRequest>;
  readonly stream: boolean;
  readonly idempotencyKey?: string;
};

const maxIdempotencyChars = 255;

/** Puts a job into the queue, in one transaction with the reservation of what it can cost at most. */
export async function submit(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  submission: Submission,
  now: number,
): Promise<Id<"jobs">> {
  const { organizationId } = key;
  const model = await ctx.db
    .query("models")
    .withIndex("by_organization_model", (q) =>
      q.eq("organizationId", organizationId).eq("modelId", submission.model),
    )
    .unique();
  if (!model?.enabled) refuse("model_not_found", "Your organization has no model of this name.");
  const promptBytes = checkRequest(submission.request, model.contextTokens);

  const repeat = await repeatOf(ctx, key, submission);
  if (repeat.jobId !== null) return repeat.jobId;

  const reservedMicro = worstCasePrice(model.price, submission.request, promptBytes);
  if ((await projectedBalance(ctx, keyAccount(key._id))) < reservedMicro) {
    refuse("quota_exceeded", "This API key has not enough credits left for the request.");
  }
  const jobId = await ctx.db.insert("jobs", {
    organizationId,
    apiKeyId: key._id,
    modelId: model.modelId,
    lane: model.modelId,
    status: "ready",
    rank: 0,
    submittedAt: now,
    attempts: 0,
    failures: 0,
    watched: submission.stream,
    price: model.price,
    reservedMicro,
    ...repeat.marks,
  });
  await ctx.db.insert("payloads", { jobId, request: submission.request });
  await reserve(ctx, { jobId, organizationId, apiKeyId: key._id, reservedMicro }, now);
  return jobId;
}

type Repeat = {
  readonly jobId: Id<"jobs"> | null;
  readonly marks: { readonly idempotencyKey?: string; readonly fingerprint?: string };
};

/** The job that the same idempotency key made before, if any. Refuses the key for another request. */
async function repeatOf(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  { model, request, idempotencyKey }: Submission,
): Promise<Repeat> {
  if (idempotencyKey === undefined) return { jobId: null, marks: {} };
  if (idempotencyKey === "" || idempotencyKey.length > maxIdempotencyChars) {
    refuse("invalid", `An idempotency key has 1 to ${String(maxIdempotencyChars)} characters.`);
  }
  wellFormed(idempotencyKey, "An idempotency key");
  const fingerprint = await fingerprintOf(model, request);
  const earlier = await ctx.db
    .query("jobs")
    .withIndex("by_idempotency", (q) => q.eq("apiKeyId", key._id).eq("idempotencyKey", idempotencyKey))
    .unique();
  // Without a fingerprint the job was purged: whatever is asked under its key, the answer is gone.
  if (earlier?.fingerprint !== undefined && earlier.fingerprint !== fingerprint) {
    refuse("conflict", "This idempotency key was used before, for another request.");
  }
  return { jobId: earlier?._id ?? null, marks: { idempotencyKey, fingerprint } };
}

/** Fields are named one by one, since their order would change the hash. */
async function fingerprintOf(model: string, request: Submission["request"]): Promise<string> {
  const { maxTokens, temperature, topP, seed, stop } = request;
  const messages = request.messages.map(({ role, content }) => [role, content]);
  return await hashSecret(JSON.stringify([model, messages, maxTokens, temperature, topP, seed, stop]));
}
