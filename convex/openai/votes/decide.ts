import type { Usage } from "../../../app/jobs/chat.ts";
import { agreementOf, isMajority } from "../../../app/votes/agreement.ts";
import { confidenceOf } from "../../../app/votes/confidence.ts";
import { largerStartsWithinMs } from "../../../app/votes/patience.ts";
import { compare } from "../../../app/votes/similarity.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { ModelView } from "../../model/models/catalog.ts";
import { textOf, totalUsage } from "../answerForm.ts";
import type { Caller } from "../endpoint.ts";
import { endOfWait } from "../follow.ts";
import { logBug, outcomeOf } from "../outcome.ts";
import { abandon, type RequestedJob } from "../requestedJob.ts";
import type { ApiError } from "../respond.ts";
import { type CallWait, callWait } from "../wait/callWait.ts";
import { askedJob, type Ballot, cancel, collectVotes, endOfVote, stopper } from "./collect.ts";

/** How the answer of a call with votes was found. `confidence`: null if the larger model has answered, which was asked once. */
export type Opinion = {
  readonly votes: number;
  readonly agreed: number;
  readonly confidence: number | null;
  readonly escalated: boolean;
};

export type Decision =
  | {
      readonly kind: "answered";
      readonly answer: Ballot;
      readonly opinion: Opinion;
      /** All jobs that have answered, in the order in which they were asked. */
      readonly ballots: readonly Ballot[];
      readonly usage: Usage;
    }
  | { readonly kind: "failed"; readonly error: ApiError };

export type VotedCall = {
  readonly votes: number;
  readonly askIdle: (index: number) => Promise<RequestedJob | null>;
  /** Models to ask if there is no majority, in their order. */
  readonly larger: readonly ModelView[];
  /** Asks a larger model. Null: it cannot be asked. */
  readonly askLarger: (model: ModelView) => Promise<RequestedJob | null>;
  readonly signal: AbortSignal;
};

/** Collects votes, and decides between them. Jobs that nobody waits for are canceled, unless a repeat may find them. */
export async function decide(
  ctx: ActionCtx,
  caller: Pick<Caller, "keyId">,
  main: RequestedJob,
  call: VotedCall,
): Promise<Decision> {
  // The jobs of a call wait as one call.
  const wait = callWait(ctx, main);
  let decision: Decision;
  try {
    decision = await decideWithin(ctx, caller, main, call, wait);
  } finally {
    await wait.end();
  }
  // A job whose wait counts cannot be left, so this comes after its end. A client may also leave while a larger model is asked.
  if (decision.kind === "failed" || call.signal.aborted) await abandon(ctx, main);
  return decision;
}

async function decideWithin(
  ctx: ActionCtx,
  { keyId }: Pick<Caller, "keyId">,
  main: RequestedJob,
  call: VotedCall,
  wait: CallWait,
): Promise<Decision> {
  const { signal } = call;
  const { ballots, first } = await collectVotes(ctx, main, call, wait);
  if (signal.aborted || ballots.length === 0) {
    const error = first?.kind === "failed" ? first.error : await endOfWait(ctx, main, signal);
    return { kind: "failed", error };
  }
  // A repeat of the call finds a kept job by its idempotency key. A repeat itself leaves the job to the first call.
  if (first?.kind !== "answered" && !main.kept && !main.repeated) await cancel(ctx, main);
  const { chosen, groups } = agreementOf(ballots.map(({ result }) => result));
  const { modelId, repeated } = main;
  const confidence = await confidenceIn(ctx, { keyId, modelId, groups, repeated });
  const larger = isMajority(groups) ? null : await askedLarger(ctx, main, call, wait);
  const all = larger === null ? ballots : [...ballots, larger];
  const answer = larger ?? ballots[chosen];
  if (answer === undefined) throw new Error("a vote has no answers");
  const [largest = 0] = groups;
  const agreed =
    larger === null ? largest : ballots.filter(({ result }) => compare(result, larger.result).agree).length;
  return {
    kind: "answered",
    answer,
    ballots: all,
    usage: totalUsage(all.map(({ result }) => result.usage)),
    opinion: {
      votes: ballots.length,
      agreed,
      confidence: larger === null ? confidence : null,
      escalated: larger !== null,
    },
  };
}

/** Rounded to thousandths: it is an estimate. If the vote cannot be counted, the model counts as unknown. */
async function confidenceIn(
  ctx: ActionCtx,
  vote: Pick<RequestedJob, "keyId" | "modelId" | "repeated"> & { readonly groups: readonly number[] },
): Promise<number> {
  const groups = [...vote.groups];
  const noted = await outcomeOf(ctx.runMutation(internal.requests.noteVoteAdmitted, { ...vote, groups }));
  if (noted.kind === "failed") logBug("a vote could not be counted", noted.thrown);
  const confidence = noted.kind === "ok" ? noted.value : confidenceOf(groups, {});
  return Math.round(confidence * 1_000) / 1_000;
}

/** The answer of the first larger model that gives one; null if none does in time. */
async function askedLarger(
  ctx: ActionCtx,
  main: RequestedJob,
  { larger, askLarger, signal }: VotedCall,
  wait: CallWait,
): Promise<Ballot | null> {
  const hasLeft = (): boolean => signal.aborted;
  for (const model of larger) {
    if (hasLeft()) return null;
    const job = await askedJob(askLarger(model));
    if (job === null) continue;
    const over = stopper(signal);
    over.stopWithin(largerStartsWithinMs);
    const end = await endOfVote(ctx, job, over.signal, wait, ({ attemptId }) => {
      // A device may lose the job again.
      if (attemptId === null) over.stopWithin(largerStartsWithinMs);
      else over.goOn();
    });
    over.stop();
    if (end?.kind === "answered") return { job, result: textOf(end.result), view: end.view };
    // As with the votes, a repeat may find the job, or has found it.
    if (!main.repeated && !(main.kept && hasLeft())) await cancel(ctx, job);
  }
  return null;
}
