import type { FunctionArgs } from "convex/server";
import type { JobPriority } from "../../app/jobs/priority.ts";
import type { Work } from "../../app/jobs/work.ts";
import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import { hashSecret } from "../model/authenticate.ts";
import type { Submitted } from "../model/requests/submit.ts";
import { asMutable } from "../model/validators.ts";
import type { Caller } from "./endpoint.ts";
import { errorOf, type PromptField, tooManyWaiting } from "./errors.ts";
import { answerAccepted, respondedAsync } from "./jobs/accepted.ts";
import { logBug, type Outcome, outcomeOf } from "./outcome.ts";
import type { Call } from "./readCall.ts";
import { errorResponse } from "./respond.ts";

/** An action ends after ten minutes. This leaves time to answer. */
export const waitLimitMs = 9 * 60_000;

/** A submitted job that a call waits for. */
export type RequestedJob = Pick<Caller, "keyId"> &
  Readonly<Submitted> & {
    /** The end of the wait: milliseconds since the epoch. */
    readonly giveUpAt: number;
    /** Whether the caller wants the text as it comes. */
    readonly stream: boolean;
    /** Whether the job continues when nobody waits: its caller has its id, or an idempotency key that finds it again. */
    readonly kept: boolean;
    /** Whether the call ends with the job's id, not with an error, if there is no answer in time. */
    readonly respondAsync: boolean;
    /** A hash of the request, by which an equal one finds the job after this call has given up; null: none does. */
    readonly request: string | null;
    readonly promptField: PromptField;
  };

/**
 * Submits a call's work and answers with the job. If answering fails, it abandons the job, unless its requester can find it
 * again. A call that asks for the job itself gets it at once, or after the wait that it asks for.
 */
export async function answerWithJob(
  ctx: ActionCtx,
  { keyId, hasQuotas }: Caller,
  call: Call<{ readonly priority: JobPriority }>,
  { work, ...options }: Pick<RequestedJob, "stream" | "promptField"> & { readonly work: Work },
  answer: (job: RequestedJob) => Promise<Response>,
): Promise<Response> {
  const { asked, model, alias, idempotencyKey, expiresInMs, requires, client } = call;
  const { respondAsync, waitMs } = call.prefer;
  const kept = respondAsync || idempotencyKey !== null;
  // A stream begins at once, and with `respond-async` its text has an address of its own.
  const mostMs = options.stream || waitMs === 0 ? null : waitMs;
  const waits = !respondAsync || mostMs !== null;
  // If they cannot be counted, the call is let through, as with the rate of calls.
  const waiting = waits
    ? await outcomeOf(ctx.runQuery(internal.requests.mayWaitAdmitted, { keyId }))
    : ({ kind: "ok", value: { allowed: true } } as const);
  if (waiting.kind === "ok" && !waiting.value.allowed) return errorResponse(tooManyWaiting(waiting.value));
  const used = hasQuotas ? { use: await ctx.runQuery(internal.requests.useOfKey, { keyId }) } : {};
  const patienceMs = options.stream ? null : client.patienceMs;
  const giveUpAt = Date.now() + Math.min(waitLimitMs, mostMs ?? patienceMs ?? waitLimitMs);
  const isFoundAgain = !kept && !options.stream && mostMs === null;
  const request = isFoundAgain
    ? await hashSecret(JSON.stringify([work.kind, model.modelId, asked, requires]))
    : null;
  const submitted = await submit(ctx, {
    keyId,
    model: model.modelId,
    ...(alias === undefined ? {} : { alias }),
    work: asMutable(work),
    stream: options.stream,
    priority: asked.priority,
    idempotencyKey: idempotencyKey ?? crypto.randomUUID(),
    endsWithCall: !kept,
    isAwaited: !respondAsync,
    requires: asMutable(requires),
    ...(request === null ? {} : { request, isRetry: client.isRetry }),
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
    ...used,
  });
  if (submitted.kind !== "ok") return errorResponse(errorOf(submitted, options.promptField));
  const job = { ...options, ...submitted.value, keyId, giveUpAt, kept, respondAsync, request };
  if (!waits) return await answerAccepted(ctx, job, respondedAsync);
  try {
    return await answer(job);
  } catch (thrown) {
    await abandon(ctx, job);
    throw thrown;
  }
}

type Submission = FunctionArgs<typeof internal.requests.submit> & { readonly idempotencyKey: string };

async function submit(ctx: ActionCtx, submission: Submission): Promise<Outcome<Submitted>> {
  const handedOver = { ...submission, handOver: true };
  const outcome = await outcomeOf(ctx.runMutation(internal.requests.submit, handedOver));
  if (outcome.kind !== "failed") return outcome;
  // Handing the job to a waiting device writes that device's rows, as many others do. Queueing it does not. If the first
  // call was committed after all, its idempotency key finds the job.
  return await outcomeOf(ctx.runMutation(internal.requests.submit, submission));
}

/** Cancels a job that nobody waits for, at once or unless its requester asks for it again soon. Never rejects. */
export async function abandon(ctx: ActionCtx, { kept, keyId, jobId, request }: RequestedJob): Promise<void> {
  if (kept) return;
  const why = "the call ended before its answer";
  const outcome = await outcomeOf<unknown>(
    request === null
      ? ctx.runMutation(internal.requests.cancelAdmitted, { keyId, jobId, why })
      : ctx.runMutation(internal.requests.leaveAdmitted, { keyId, jobId, request }),
  );
  // A refusal is no bug: the key may be revoked by now.
  if (outcome.kind === "ok" || outcome.kind === "refused") return;
  logBug("a job that nobody waits for could not be canceled", outcome.thrown);
}
