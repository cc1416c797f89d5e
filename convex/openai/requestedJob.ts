import type { CallForm } from "../../app/jobs/call-forms.ts";
import type { Preference } from "../../app/jobs/parse/parse-prefer.ts";
import type { JobPriority } from "../../app/jobs/priority.ts";
import { keptEcho, type ResponseEcho } from "../../app/jobs/response-echo.ts";
import type { Work } from "../../app/jobs/work.ts";
import type { KeyScope } from "../../app/keys/scopes.ts";
import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import { hashSecret } from "../model/authenticate.ts";
import { asMutable } from "../model/mutable.ts";
import type { Submitted } from "../model/requests/submission.ts";
import type { Caller } from "./endpoint.ts";
import { errorOf, type PromptField, tooManyWaiting } from "./errors.ts";
import { answerAccepted } from "./jobs/accepted.ts";
import { type Submission, submit } from "./jobs/submit.ts";
import { logBug, type Outcome, outcomeOf } from "./outcome.ts";
import type { Call } from "./readCall.ts";
import { type ApiError, errorResponse, respondedAsync } from "./respond.ts";

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

type JobOptions = Pick<RequestedJob, "stream" | "promptField"> & {
  readonly work: Work;
  /** The form in which the call answers, if it is not the usual one of the job's kind. */
  readonly callForm?: CallForm;
  /** The fields of its request that a response repeats. */
  readonly echo?: ResponseEcho;
  /** The scope that a key needs to fetch the answer by the job's id. */
  readonly answerScope?: KeyScope;
};

/**
 * Submits a call's work and answers with the job. If answering fails, it abandons the job, unless its requester can find it
 * again. A call that asks for the job itself gets it at once, or after the wait that it asks for.
 */
export async function answerWithJob(
  ctx: ActionCtx,
  caller: Caller,
  call: Call<{ readonly priority: JobPriority }>,
  { work, callForm, echo, answerScope = "jobs", ...options }: JobOptions,
  answer: (job: RequestedJob) => Promise<Response>,
): Promise<Response> {
  const { idempotencyKey } = call;
  const { respondAsync } = call.prefer;
  const kept = respondAsync || idempotencyKey !== null;
  const mostMs = mostWaitMs(call.prefer, options.stream);
  const waits = !respondAsync || mostMs !== null;
  const full = waits ? await refusedWait(ctx, caller) : null;
  if (full !== null) return errorResponse(full);
  const giveUpAt = giveUpTime(mostMs ?? patienceMsOf(call, options.stream));
  const request = await requestHash(call, work.kind, options.stream);
  const wait = { ...options, giveUpAt, kept, respondAsync, request };
  const requested = await requestJob(ctx, caller, call, work, wait, {
    ...(respondAsync ? { answerScope } : {}),
    ...(callForm === undefined ? {} : { callForm }),
    ...(echo === undefined ? {} : { echo }),
  });
  if (requested.kind !== "ok") return errorResponse(errorOf(requested, options.promptField));
  const job = requested.value;
  if (!waits) return await answerAccepted(ctx, job, respondedAsync);
  try {
    return await answer(job);
  } catch (thrown) {
    await abandon(ctx, job);
    throw thrown;
  }
}

/**
 * A hash by which an equal request finds the job of a whole call that was given up. Null: its caller finds it otherwise, or has got
 * a part of its answer.
 */
export async function requestHash(
  { asked, model, idempotencyKey, requires, prefer }: Call<unknown>,
  kind: Work["kind"],
  stream: boolean,
): Promise<string | null> {
  const isFoundOtherwise = idempotencyKey !== null || prefer.respondAsync;
  if (isFoundOtherwise || stream || mostWaitMs(prefer, stream) !== null) return null;
  return await hashSecret(JSON.stringify([kind, model.modelId, asked, requires]));
}

/** The wait that a call asks for. A stream begins at once, and with `respond-async` its text has an address of its own. */
export function mostWaitMs({ waitMs }: Preference, stream: boolean): number | null {
  return stream || waitMs === 0 ? null : waitMs;
}

/** How long the client itself waits for a whole answer. Null: as long as we do. */
function patienceMsOf({ client }: Pick<Call<unknown>, "client">, stream: boolean): number | null {
  return stream ? null : client.patienceMs;
}

/** The end of the wait of a call that wants an answer. Milliseconds since the epoch. */
export function endOfPatience(call: Pick<Call<unknown>, "prefer" | "client">, stream: boolean): number {
  return giveUpTime(mostWaitMs(call.prefer, stream) ?? patienceMsOf(call, stream));
}

/** The end of a wait. @param mostMs null: as long as an action may wait. */
function giveUpTime(mostMs: number | null): number {
  return Date.now() + Math.min(waitLimitMs, mostMs ?? waitLimitMs);
}

/** Why a call may not wait. If the waiting calls cannot be counted, it is let through, as with the rate of calls. */
export async function refusedWait(ctx: ActionCtx, { keyId }: Caller): Promise<ApiError | null> {
  const waiting = await outcomeOf(ctx.runQuery(internal.requests.mayWaitAdmitted, { keyId }));
  return waiting.kind === "ok" && !waiting.value.allowed ? tooManyWaiting(waiting.value) : null;
}

export type Wait = Omit<RequestedJob, "keyId" | keyof Submitted>;

type More = Partial<
  Pick<Submission, "answerScope" | "callForm" | "later" | "priority" | "part" | "apart" | "idleOnly">
> &
  Pick<JobOptions, "echo">;

/** Submits a job of a call. @param more what only some jobs have. */
export async function requestJob(
  ctx: ActionCtx,
  caller: Caller,
  call: Call<{ readonly priority: JobPriority }>,
  work: Work,
  wait: Wait,
  { echo, ...more }: More = {},
): Promise<Outcome<RequestedJob>> {
  const submission = {
    ...(await submissionOf(ctx, caller, call, wait)),
    ...more,
    ...(echo !== undefined && work.kind === "chat" ? { echo: keptEcho(echo, work.request) } : {}),
    work: asMutable(work),
  };
  const submitted = await submit(ctx, submission);
  if (submitted.kind !== "ok") return submitted;
  return { kind: "ok", value: { ...wait, ...submitted.value, keyId: submission.keyId } };
}

/** The use of a submission's key, if it has quotas. */
export async function useOf(
  ctx: ActionCtx,
  { keyId, quotas }: Pick<Caller, "keyId" | "quotas">,
): Promise<Pick<Submission, "use">> {
  return quotas === undefined ? {} : { use: await ctx.runQuery(internal.requests.useOfKey, { keyId }) };
}

/** All of a submission but its work. */
export async function submissionOf(
  ctx: ActionCtx,
  caller: Caller,
  {
    asked,
    model,
    alias,
    idempotencyKey,
    expiresInMs,
    requires,
    client,
  }: Call<{ readonly priority: JobPriority }>,
  { giveUpAt, stream, kept, respondAsync, request }: Wait,
): Promise<Omit<Submission, "work">> {
  return {
    keyId: caller.keyId,
    model: model.modelId,
    ...(alias === undefined ? {} : { alias }),
    stream,
    priority: asked.priority,
    idempotencyKey: idempotencyKey ?? crypto.randomUUID(),
    endsWithCall: !kept,
    isAwaited: !respondAsync,
    requires: asMutable(requires),
    ...(request === null ? {} : { request: { hash: request, isRetry: client.isRetry, until: giveUpAt } }),
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
    ...(await useOf(ctx, caller)),
  };
}

/** The ids of several jobs, for the header that names them. */
export function idsOf(jobs: readonly Pick<RequestedJob, "jobId">[]): string {
  return jobs.map(({ jobId }) => jobId).join(", ");
}

/** `abandon` for the jobs of a call. Those that a retry may find are left together, by the first one. */
export async function abandonAll(
  ctx: ActionCtx,
  jobs: readonly [RequestedJob, ...RequestedJob[]],
): Promise<void> {
  const [first] = jobs;
  const left = first.request === null ? jobs : [first];
  await Promise.all(left.map(async (job) => await abandon(ctx, job)));
}

/** Cancels the jobs of a call that has ended with an error, at once, unless an idempotency key finds them. Never rejects. */
export async function cancelAll(ctx: ActionCtx, jobs: readonly RequestedJob[]): Promise<void> {
  await Promise.all(jobs.map(async (job) => await abandon(ctx, { ...job, request: null })));
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
