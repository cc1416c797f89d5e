import type { Vote } from "../../../app/jobs/parse/parse-sampling.ts";
import type { JobPriority } from "../../../app/jobs/priority.ts";
import type { Work } from "../../../app/jobs/work.ts";
import type { ActionCtx } from "../../_generated/server.js";
import { hashSecret } from "../../model/authenticate.ts";
import type { ModelView } from "../../model/models/catalog.ts";
import { headOf, type TextForm } from "../answerForm.ts";
import { chunkEvents } from "../chunkEvents.ts";
import type { Caller } from "../endpoint.ts";
import { errorOf, type PromptField } from "../errors.ts";
import { eventStream, keepAliveMs, serverSentEvents, type Sink } from "../eventStream.ts";
import { failureOf } from "../outcome.ts";
import type { Call } from "../readCall.ts";
import {
  abandon,
  endOfPatience,
  idsOf,
  refusedWait,
  type RequestedJob,
  requestJob,
} from "../requestedJob.ts";
import {
  answerHeaders,
  errorBody,
  errorResponse,
  jobErrorResponse,
  jobHeaders,
  json,
  ofSeveral,
} from "../respond.ts";
import { eventsOfWhole } from "../stream.ts";
import { abortsWith } from "../wait/abortsWith.ts";
import { decide, type Decision } from "./decide.ts";
import { votedForm } from "./votedForm.ts";

type AskedText = {
  readonly priority: JobPriority;
  readonly stream: boolean;
  readonly includeUsage: boolean;
};

export type VoteOptions = Vote & {
  readonly form: TextForm;
  readonly promptField: PromptField;
  /** Whether the requester can find the first job again. */
  readonly kept: boolean;
  /** The work of a vote, with a number from 0, by a model. */
  readonly workFor: (model: ModelView, index: number) => Promise<Work>;
  /** Aborts when the client has left or the server stops. */
  readonly signal: AbortSignal;
};

/** The larger models that are asked one after the other, until one answers. */
const mostLarger = 3;

/**
 * Answers a call with the answer that most of several devices agree on. The first job is as that of any other call. Idle devices get
 * the others, at the lowest priority. If there is no majority, a larger model answers.
 * @param call has an idempotency key, its requester's or one of its own.
 */
export async function answerVotes(
  ctx: ActionCtx,
  caller: Caller,
  call: Call<AskedText>,
  options: VoteOptions,
): Promise<Response> {
  const full = await refusedWait(ctx, caller);
  if (full !== null) return errorResponse(full);
  const { form, promptField, kept, votes, escalate, workFor, signal } = options;
  const { asked, model } = call;
  const { stream } = asked;
  const created = Date.now();
  const giveUpAt = endOfPatience(call, stream);
  // The text is sent when the votes are compared, so nobody reads it as it comes.
  const wait = { promptField, giveUpAt, kept, stream: false, respondAsync: false, request: null };
  const first = await workFor(model, 0);
  const callHash = await hashSecret(JSON.stringify([first, votes, escalate]));
  const partOf = (index: number) => ({ part: { index, callHash } });
  const requested = await requestJob(ctx, caller, call, first, wait, { ...partOf(0), apart: true });
  if (requested.kind !== "ok") return errorResponse(errorOf(requested, promptField));
  const main = requested.value;

  const askIdle = async (index: number): Promise<RequestedJob | null> => {
    const more = { ...partOf(index), apart: true, idleOnly: true, priority: "low" as const };
    const vote = await requestJob(ctx, caller, call, await workFor(model, index), wait, more);
    return vote.kind === "ok" ? vote.value : null;
  };
  const askLarger = async (larger: ModelView): Promise<RequestedJob | null> => {
    const { alias: _, ...named } = call;
    const ofModel = { ...named, model: larger, alias: undefined };
    const work = await workFor(larger, 0);
    // The models of a call have numbers behind those of its votes.
    const more = partOf(votes + caller.models.indexOf(larger));
    const job = await requestJob(ctx, caller, ofModel, work, wait, more);
    return job.kind === "ok" ? job.value : null;
  };
  const larger = escalate ? largerModels(caller, model) : [];
  const decision = (within: AbortSignal): Promise<Decision> =>
    decide(ctx, caller, main, { votes, askIdle, larger, askLarger, signal: within });
  if (stream) return await streamDecision(ctx, main, decision, { ...options, created, ...asked });
  try {
    return wholeAnswer(main, await decision(signal), form, created);
  } catch (thrown) {
    await abandon(ctx, main);
    throw thrown;
  }
}

/** The caller's models that are larger than this one, by their files: the largest first. */
function largerModels({ models }: Caller, { sizeBytes }: ModelView): readonly ModelView[] {
  return models
    .filter((model) => model.sizeBytes > sizeBytes)
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, mostLarger);
}

function wholeAnswer(main: RequestedJob, decision: Decision, form: TextForm, created: number): Response {
  if (decision.kind === "failed") return jobErrorResponse(decision.error, main.jobId);
  const { answer, ballots, opinion, usage } = decision;
  const priceMicro = ballots.reduce<bigint | null>(
    (sum, { view }) => (sum === null || view.priceMicro === null ? null : sum + view.priceMicro),
    0n,
  );
  const jobId = idsOf(ballots.map(({ job }) => job));
  const headers = answerHeaders({ ...answer.job, jobId }, { ...main, ...ofSeveral, priceMicro });
  const body = votedForm(form, opinion, usage).whole(headOf(answer.job, created), answer.result);
  return json(200, body, headers);
}

/** The status line waits this long, so that a call that fails at once still gets its own status. */
const headersAfterMs = 3_000;

type StreamOptions = VoteOptions & AskedText & { readonly created: number };

/** Streams the answer in one piece once it is decided, and comments until then. */
async function streamDecision(
  ctx: ActionCtx,
  main: RequestedJob,
  decide: (signal: AbortSignal) => Promise<Decision>,
  options: StreamOptions,
): Promise<Response> {
  const { signal } = options;
  const left = abortsWith(signal);
  const decided = decide(left.signal).catch(async (thrown: unknown): Promise<Decision> => {
    await abandon(ctx, main);
    return { kind: "failed", error: errorOf(failureOf(thrown), options.promptField) };
  });
  const early = await within(decided, headersAfterMs);
  if (early?.kind === "failed") return jobErrorResponse(early.error, main.jobId);
  return eventStream(jobHeaders(main), signal, async (sink) => {
    let quietSince = Date.now();
    for (;;) {
      const decision = await within(decided, lookMs);
      if (decision !== null) {
        for (const event of eventsOf(decision, options)) sink.send(event);
        return;
      }
      if (sink.gone()) {
        left.abort();
        await decided;
        return;
      }
      quietSince = keepAlive(sink, quietSince);
    }
  });
}

/** So often a stream looks whether its client is still there. */
const lookMs = 1_000;

function keepAlive(sink: Sink, quietSince: number): number {
  if (Date.now() - quietSince < keepAliveMs) return quietSince;
  sink.send(serverSentEvents.keepAlive("working"));
  return Date.now();
}

function eventsOf(decision: Decision, { form, created, includeUsage }: StreamOptions): readonly string[] {
  if (decision.kind === "failed") return [`data: ${JSON.stringify(errorBody(decision.error))}`];
  const { answer, opinion, usage } = decision;
  const head = headOf(answer.job, created);
  const events = chunkEvents(votedForm(form, opinion, usage), head, includeUsage, () => usage);
  return eventsOfWhole(events, answer.result);
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
