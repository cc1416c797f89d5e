import type { Infer } from "convex/values";
import type { CallForm } from "../../app/jobs/call-forms.ts";
import type { JobPriority } from "../../app/jobs/priority.ts";
import type { Work } from "../../app/jobs/work.ts";
import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import type { laterCall } from "../model/calls/validators.ts";
import { asMutable } from "../model/mutable.ts";
import { answerCall } from "./calls/answerCall.ts";
import type { Encoding } from "./embeddings/vectorsBody.ts";
import type { Caller } from "./endpoint.ts";
import { errorOf } from "./errors.ts";
import type { Submission } from "./jobs/submit.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import type { Call } from "./readCall.ts";
import {
  abandonAll,
  endOfPatience,
  mostWaitMs,
  refusedWait,
  type RequestedJob,
  requestHash,
  submissionOf,
  type Wait,
} from "./requestedJob.ts";
import { errorResponse } from "./respond.ts";

type Options = Pick<RequestedJob, "stream" | "promptField"> &
  Pick<Infer<typeof laterCall>, "ranking" | "vectors"> & {
    /** The form in which the call answers, if it is not the usual one of its jobs' kind. */
    readonly callForm?: CallForm;
    /** The encoding of vectors that the call asks for. Absent: numbers. */
    readonly encoding?: Encoding;
    /** Aborts when the client has left or the server stops. */
    readonly signal: AbortSignal;
  };

/**
 * Answers a call of several jobs: all of them are submitted or none. A repeated idempotency key finds all of them, and so does a retry
 * of a whole call that was given up. `works` and the answer's jobs have the same order. A call that does not want to wait gets itself
 * as a job, at once or after the wait that it asks for.
 */
export async function answerWithJobs(
  ctx: ActionCtx,
  caller: Caller,
  call: Call<{ readonly priority: JobPriority }>,
  works: readonly Work[],
  { callForm, ranking, vectors, encoding = "float", signal, ...options }: Options,
  answer: (jobs: readonly [RequestedJob, ...RequestedJob[]]) => Promise<Response>,
): Promise<Response> {
  const { stream } = options;
  const { respondAsync } = call.prefer;
  const waits = !respondAsync || mostWaitMs(call.prefer, stream) !== null;
  const full = waits ? await refusedWait(ctx, caller) : null;
  if (full !== null) return errorResponse(full);
  const kept = respondAsync || call.idempotencyKey !== null;
  const giveUpAt = endOfPatience(call, stream);
  const [{ kind } = noWork()] = works;
  const request = await requestHash(call, kind, stream);
  const wait = { ...options, giveUpAt, kept, respondAsync, request };
  const later = {
    ...(ranking === undefined ? {} : { ranking }),
    ...(vectors === undefined ? {} : { vectors }),
  };
  const requested = await requestJobs(ctx, caller, call, works, wait, {
    ...(callForm === undefined ? {} : { callForm }),
    ...(respondAsync ? { later, answerScope: "jobs" } : {}),
  });
  if (requested.kind !== "ok") return errorResponse(errorOf(requested, options.promptField));
  const [first = noWork(), ...others] = requested.value;
  if (respondAsync && first.call !== undefined)
    return await answerCall(ctx, caller, first.call, {
      until: waits ? giveUpAt : null,
      signal,
      encoding,
      asPreferred: true,
    });
  const jobs = [first, ...others] as const;
  try {
    return await answer(jobs);
  } catch (thrown) {
    await abandonAll(ctx, jobs);
    throw thrown;
  }
}

function noWork(): never {
  throw new Error("a call has no works");
}

/** Submits the jobs of a call: all of them or none. */
async function requestJobs(
  ctx: ActionCtx,
  caller: Caller,
  call: Call<{ readonly priority: JobPriority }>,
  works: readonly Work[],
  wait: Wait,
  more: Partial<Pick<Submission, "callForm" | "later" | "answerScope">>,
): Promise<Outcome<readonly RequestedJob[]>> {
  const submission = {
    ...(await submissionOf(ctx, caller, call, wait)),
    ...more,
    works: works.map(asMutable),
  };
  const once = async () => await outcomeOf(ctx.runMutation(internal.requests.submitParts, submission));
  const outcome = await once();
  // If it was committed after all, the idempotency key or the request finds the jobs.
  const submitted = outcome.kind === "failed" ? await once() : outcome;
  if (submitted.kind !== "ok") return submitted;
  return { kind: "ok", value: submitted.value.map((job) => ({ ...wait, ...job, keyId: caller.keyId })) };
}
