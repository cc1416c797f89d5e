import type { CallForm } from "../../../app/jobs/call-forms.ts";
import type { Vote } from "../../../app/jobs/parse/parse-sampling.ts";
import type { JobPriority } from "../../../app/jobs/priority.ts";
import type { ResponseEcho } from "../../../app/jobs/response-echo.ts";
import type { Work } from "../../../app/jobs/work.ts";
import type { KeyScope } from "../../../app/keys/scopes.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import { hashSecret } from "../../model/authenticate.ts";
import type { ModelView } from "../../model/models/catalog.ts";
import { largerModels } from "../../model/requests/votes.ts";
import { type AnswerHead, headOf, type TextResult } from "../answerForm.ts";
import { answerCall } from "../calls/answerCall.ts";
import type { Caller } from "../endpoint.ts";
import { errorOf, type PromptField } from "../errors.ts";
import { eventStream, keepAliveMs, serverSentEvents, type Sink } from "../eventStream.ts";
import { endOfWait } from "../follow.ts";
import { failureOf } from "../outcome.ts";
import type { Call } from "../readCall.ts";
import {
  abandon,
  endOfPatience,
  idsOf,
  mostWaitMs,
  refusedWait,
  type RequestedJob,
  requestHash,
  requestJob,
} from "../requestedJob.ts";
import {
  type AnswerCost,
  answerHeaders,
  errorResponse,
  jobErrorResponse,
  jobHeaders,
  json,
  totalCost,
} from "../respond.ts";
import { eventsOfWhole, type TextEvents } from "../stream.ts";
import { abortsWith } from "../wait/abortsWith.ts";
import { waitingOf } from "../wait/waiting.ts";
import type { Ballot } from "./collect.ts";
import { decide, type Decision, type Opinion } from "./decide.ts";

type AskedText = { readonly priority: JobPriority; readonly stream: boolean };

/** The form in which a call answers. `result` has the usage of all votes. */
export type VotedForm = {
  /** Absent: the usual one of the jobs' kind. */
  readonly callForm?: CallForm;
  /** The fields of its request that a response repeats. */
  readonly echo?: ResponseEcho;
  readonly whole: (head: AnswerHead, result: TextResult, opinion: Opinion) => object;
  /** The events of a stream. `opinion`: null if it ends with an error. */
  readonly events: (head: AnswerHead, opinion: Opinion | null) => TextEvents;
};

export type VoteOptions = Vote & {
  readonly form: VotedForm;
  readonly promptField: PromptField;
  /** Whether the requester has given the call its idempotency key. */
  readonly kept: boolean;
  /** Before it was cut to the context of the model. */
  readonly maxTokens: number;
  /** The scope that a key needs to fetch the answer later. */
  readonly answerScope?: KeyScope;
  /** The work of a vote, with a number from 0, by a model. */
  readonly workFor: (model: ModelView, index: number) => Promise<Work>;
  /** Aborts when the client has left or the server stops. */
  readonly signal: AbortSignal;
};

/**
 * Answers a call with the answer that most of several devices agree on. The first job is as that of any other call. Idle devices get
 * the others, at the lowest priority. If there is no majority, a larger model answers. A repeated call finds the jobs of the first
 * one and asks for no further ones. A call that does not want to wait goes on by itself: model/calls/votes.ts.
 * @param call has an idempotency key, its requester's or one of its own.
 */
export async function answerVotes(
  ctx: ActionCtx,
  caller: Caller,
  call: Call<AskedText>,
  options: VoteOptions,
): Promise<Response> {
  const { form, promptField, votes, escalate, maxTokens, answerScope = "jobs", workFor, signal } = options;
  const { asked, model, prefer } = call;
  const { stream } = asked;
  const { respondAsync } = prefer;
  const waits = !respondAsync || mostWaitMs(prefer, stream) !== null;
  const full = waits ? await refusedWait(ctx, caller) : null;
  if (full !== null) return errorResponse(full);
  const created = Date.now();
  const giveUpAt = endOfPatience(call, stream);
  // The text is sent when the votes are compared, so nobody reads it as it comes.
  const kept = respondAsync || options.kept;
  const wait = { promptField, giveUpAt, kept, stream: false, respondAsync, request: null };
  const first = await workFor(model, 0);
  const callHash = await hashSecret(JSON.stringify([first, votes, escalate]));
  const ownKey = options.kept ? call.idempotencyKey : null;
  const request = await requestHash({ ...call, idempotencyKey: ownKey }, first.kind, stream);
  const { callForm, echo } = form;
  const ofCall = {
    ...(callForm === undefined ? {} : { callForm }),
    ...(echo === undefined ? {} : { echo }),
  };
  const later = respondAsync ? { later: { vote: { votes, escalate, maxTokens } }, answerScope } : {};
  const asFirst = { ...ofCall, ...later, part: { index: 0, callHash }, apart: true };
  const requested = await requestJob(ctx, caller, call, first, { ...wait, request }, asFirst);
  if (requested.kind !== "ok") return errorResponse(errorOf(requested, promptField));
  const main = requested.value;
  if (main.call !== undefined && (respondAsync || !stream)) {
    const until = waits ? giveUpAt : null;
    const answer = await answerCall(ctx, caller, main.call, { until, signal, asPreferred: respondAsync });
    if (respondAsync || answer.status !== 202) return answer;
    // The call repeats one that did not want to wait, which goes on.
    return jobErrorResponse(await endOfWait(ctx, main, signal), main.jobId);
  }
  const { jobId: of, keyId } = main;
  const partOf = (index: number) => ({ ...ofCall, part: { index, callHash, of } });

  const find = async (index: number): Promise<RequestedJob | null> => {
    const found = await ctx.runQuery(internal.requests.furtherAdmitted, { keyId, of, index });
    return found === null ? null : { ...wait, ...found, keyId };
  };
  const askIdle = async (index: number): Promise<RequestedJob | null> => {
    if (main.repeated) return await find(index);
    const more = { ...partOf(index), apart: true, idleOnly: true, priority: "low" as const };
    const vote = await requestJob(ctx, caller, call, await workFor(model, index), wait, more);
    return vote.kind === "ok" ? vote.value : null;
  };
  const larger = escalate ? largerModels(caller.models, model) : [];
  const askLarger = async (asked: ModelView): Promise<RequestedJob | null> => {
    // The larger models of a call have numbers behind those of its votes.
    const index = votes + larger.indexOf(asked);
    if (main.repeated) return await find(index);
    const ofModel = { ...call, model: asked, alias: undefined };
    const job = await requestJob(ctx, caller, ofModel, await workFor(asked, 0), wait, partOf(index));
    return job.kind === "ok" ? job.value : null;
  };
  const decision = (within: AbortSignal): Promise<Decision> =>
    decide(ctx, caller, main, { votes, askIdle, larger, askLarger, signal: within });
  if (stream) return await streamDecision(ctx, main, decision, { ...options, created });
  try {
    return wholeAnswer(main, await decision(signal), form, created);
  } catch (thrown) {
    await abandon(ctx, main);
    throw thrown;
  }
}

function wholeAnswer(main: RequestedJob, decision: Decision, form: VotedForm, created: number): Response {
  if (decision.kind === "failed") return jobErrorResponse(decision.error, main.jobId);
  const { answer, ballots, opinion, usage } = decision;
  const jobId = idsOf(ballots.map(({ job }) => job));
  const headers = answerHeaders({ ...answer.job, jobId }, costOf(main, ballots));
  const body = form.whole(headOf(answer.job, created), { ...answer.result, usage }, opinion);
  return json(200, body, headers);
}

function costOf({ pricePercent }: RequestedJob, ballots: readonly Ballot[]): AnswerCost {
  return totalCost(
    ballots.map(({ view }) => view),
    pricePercent,
  );
}

/** The status line waits this long, so that a call that fails at once still gets its own status. */
const headersAfterMs = 3_000;

type StreamOptions = VoteOptions & { readonly created: number };

/** Streams the answer in one piece once it is decided, and comments until then. */
async function streamDecision(
  ctx: ActionCtx,
  main: RequestedJob,
  decide: (signal: AbortSignal) => Promise<Decision>,
  options: StreamOptions,
): Promise<Response> {
  const { signal } = options;
  const failed = options.form.events(headOf(main, options.created), null);
  const left = abortsWith(signal);
  const decided = decide(left.signal).catch(async (thrown: unknown): Promise<Decision> => {
    await abandon(ctx, main);
    return { kind: "failed", error: errorOf(failureOf(thrown), options.promptField) };
  });
  const early = await within(decided, headersAfterMs);
  if (early?.kind === "failed") return jobErrorResponse(early.error, main.jobId);
  const write = async (sink: Sink): Promise<void> => {
    let quietSince = Date.now();
    for (;;) {
      const decision = await within(decided, lookMs);
      if (decision !== null) {
        const events =
          decision.kind === "failed" ? failed.error(decision.error) : eventsOf(main, decision, options);
        for (const event of events) sink.send(event);
        return;
      }
      if (sink.gone()) {
        left.abort();
        await decided;
        return;
      }
      if (Date.now() - quietSince < keepAliveMs) continue;
      sink.send((failed.form ?? serverSentEvents).keepAlive("working"));
      quietSince = Date.now();
    }
  };
  const waiting = early === null ? await waitingOf(ctx, main) : null;
  return eventStream({ ...jobHeaders(main), ...waiting?.headers }, signal, write, failed.form);
}

/** So often a stream looks whether its client is still there. */
const lookMs = 1_000;

function eventsOf(
  main: RequestedJob,
  { answer, ballots, opinion, usage }: Extract<Decision, { readonly kind: "answered" }>,
  { form, created }: StreamOptions,
): readonly string[] {
  const events = form.events(headOf(answer.job, created), opinion);
  return eventsOfWhole(events, { ...answer.result, usage }, costOf(main, ballots));
}

/** The value of a promise, or null if it does not come within so many ms. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
