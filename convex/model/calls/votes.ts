import { ConvexError } from "convex/values";
import { assertNever } from "../../../app/assert-never.ts";
import { parseWork } from "../../../app/jobs/payload/payload.ts";
import { isFinal } from "../../../app/jobs/states.ts";
import { type TextWork, withMaxTokens, withSeed, type Work } from "../../../app/jobs/work.ts";
import { agreementOf, isMajority } from "../../../app/votes/agreement.ts";
import { nextLargerStep, nextVoteStep } from "../../../app/votes/next-step.ts";
import { compare, type ComparedAnswer } from "../../../app/votes/similarity.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { admittedKey } from "../authenticate.ts";
import { projectedUse } from "../ledger/keyDays.ts";
import { identityOf } from "../models/identity.ts";
import { asMutable } from "../mutable.ts";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { countCalls } from "../rates.ts";
import { present, refuse } from "../refuse.ts";
import { submit } from "../requests/submit.ts";
import { furtherOrder, largerModels, noteVote } from "../requests/votes.ts";
import { watch } from "../requests/watch.ts";
import { cancelOpen, cancelRest, endCall, statesOf } from "./calls.ts";
import { scheduleStep } from "./steps.ts";
import { checkVectors } from "./vectors.ts";

/*
 * Second opinions that nobody waits for. The ends of their jobs begin the steps (steps.ts), which survive a restart of the backend. So a
 * vote is decided however long its jobs wait. A call that waits decides itself: openai/votes/.
 */

type VoteCall = Doc<"calls"> & { readonly vote: NonNullable<Doc<"calls">["vote"]> };
type Jobs = Awaited<ReturnType<typeof statesOf>>;

/** Goes on with a call until there is nothing to do before another job ends. */
export async function goOn(ctx: MutationCtx, callId: Id<"calls">, now: number): Promise<void> {
  for (;;) {
    const call = await ctx.db.get("calls", callId);
    if (call === null) return;
    if (call.end !== undefined) {
      await cancelRest(ctx, callId, now);
      return;
    }
    if (!isVote(call)) {
      await checkVectors(ctx, call, now);
      return;
    }
    const { isRepeated, larger } = call.vote;
    if (isRepeated && larger === undefined && (await findVotes(ctx, call))) continue;
    const jobs = await statesOf(ctx, call);
    const isOver =
      larger === undefined ? await vote(ctx, call, jobs, now) : await askLarger(ctx, call, jobs, now);
    if (isOver) return;
  }
}

function isVote(call: Doc<"calls">): call is VoteCall {
  return call.vote !== undefined;
}

/** Finds the votes that the first call has asked for since its repeat has looked. @returns whether there were some. */
async function findVotes(ctx: MutationCtx, { _id, vote, jobIds }: VoteCall): Promise<boolean> {
  let index = jobIds.length;
  while (index < vote.votes && (await finds(ctx, _id, index))) index += 1;
  return index > jobIds.length;
}

/** Finds a further job of the call that this one repeats. @returns whether there is one. */
async function finds(ctx: MutationCtx, callId: Id<"calls">, index: number): Promise<boolean> {
  const call = present(await ctx.db.get("calls", callId), "call");
  const [of = noJobs()] = call.jobIds;
  const order = await furtherOrder(ctx, call, { of, index });
  if (order !== null) await addJob(ctx, call, order);
  return order !== null;
}

async function addJob(
  ctx: MutationCtx,
  { _id: call, jobIds }: Doc<"calls">,
  { _id, jobId }: Doc<"orders">,
): Promise<void> {
  await ctx.db.patch("orders", _id, { call });
  await ctx.db.patch("calls", call, { jobIds: [...jobIds, jobId] });
}

/** @returns true if the call now waits, for the end of a job or for a time. */
async function vote(ctx: MutationCtx, call: VoteCall, jobs: Jobs, now: number): Promise<boolean> {
  const { isRepeated, askedAt = null } = call.vote;
  const votes = isRepeated ? jobs.length : call.vote.votes;
  const [first, ...others] = jobs;
  const step = nextVoteStep({ votes, askedAt, jobs: [first ?? noJobs(), ...others] }, now);
  switch (step.kind) {
    case "ask":
      await askIdle(ctx, call, step.askedAt);
      return false;
    case "compare":
      await compareAnswers(ctx, call, jobs, now);
      return false;
    case "fail":
      await endUnanswered(ctx, call, jobs, now);
      return false;
    case "wait":
      if (step.until !== null) await scheduleStep(ctx, call._id, step.until, now);
      return true;
    default:
      return assertNever(step);
  }
}

/** Ends a vote without an answer, as its first job has ended. One that has not is canceled with the others. */
async function endUnanswered(
  ctx: MutationCtx,
  call: VoteCall,
  [first = noJobs()]: Jobs,
  now: number,
): Promise<void> {
  const { jobId, status } = first;
  const failed = { jobId, status: isFinal(status) ? status : ("canceled" as const) };
  await endCall(ctx, call, { at: now, how: "failed", failed });
}

function noJobs(): never {
  throw new Error("a call has no jobs");
}

/** Asks idle devices for the votes that are missing, as long as there are some. */
async function askIdle(
  ctx: MutationCtx,
  { _id: callId, vote, jobIds }: VoteCall,
  askedAt: number,
): Promise<void> {
  for (let index = jobIds.length; index < vote.votes; index += 1)
    if (!(await asks(ctx, callId, { index, larger: null }))) break;
  await patchVote(ctx, callId, { askedAt });
}

async function patchVote(
  ctx: MutationCtx,
  callId: Id<"calls">,
  changes: Partial<VoteCall["vote"]>,
): Promise<void> {
  const { vote } = present(await ctx.db.get("calls", callId), "call");
  await ctx.db.patch("calls", callId, { vote: { ...present(vote ?? null, "vote of a call"), ...changes } });
}

/** Asks for a further job of a call. @returns false if it was refused, as without an idle device. */
async function asks(
  ctx: MutationCtx,
  callId: Id<"calls">,
  which: { readonly index: number; readonly larger: string | null },
): Promise<boolean> {
  try {
    // A refusal undoes what the submission has written, and nothing else.
    await ctx.runMutation(internal.calls.steps.askFurther, { callId, ...which });
    return true;
  } catch (thrown) {
    if (!(thrown instanceof ConvexError)) throw thrown;
    return false;
  }
}

/**
 * Submits a further job of a call with votes: the next vote, which only an idle device gets, or that of a larger model. Refuses as
 * `submit`, and: unauthorized, revoked, rate_limited, not_found (the texts are deleted).
 */
export async function askFurther(
  ctx: MutationCtx,
  callId: Id<"calls">,
  { index, larger }: { readonly index: number; readonly larger: string | null },
  now: number,
): Promise<void> {
  const call = present(await ctx.db.get("calls", callId), "call");
  const { vote, jobIds, apiKeyId, organizationId } = call;
  if (vote === undefined) throw new Error("a call has no votes");
  const key = await admittedKey(ctx, apiKeyId);
  const [first] = await statesOf(ctx, { ...call, jobIds: jobIds.slice(0, 1) });
  if (first === undefined) return noJobs();
  const stored = await queue.payload(ctx, organizationId, first.jobId);
  const work = stored === null ? null : parseWork(first.kind, stored.payload);
  if (stored === null || !isText(work)) return refuse("not_found", "The request was deleted.");
  await countCalls(ctx, apiKeyId, 1);
  const { order } = first;
  const { requires, expiresInMs, idempotencyKey, callHash } = vote;
  const { echo } = stored.payload as { readonly echo?: string };
  const asked = {
    ...(larger === null
      ? voteJob(vote, order, work, index)
      : largerJob(vote, order, work, { modelId: larger, contextTokens: await contextOf(ctx, key, larger) })),
    ...(order.callForm === undefined ? {} : { callForm: order.callForm }),
    ...(echo === undefined ? {} : { echo }),
    stream: false,
    idempotencyKey,
    ...(requires === undefined ? {} : { requires }),
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
    part: { index, callHash, of: first.jobId },
    ...(key.quotas === undefined ? {} : { use: await projectedUse(ctx, apiKeyId, now) }),
    handOver: true,
  };
  const { jobId } = await submit(ctx, key, asked, now);
  await addJob(ctx, call, present(await orderOf(ctx, jobId), "order of a job"));
}

type Vote = VoteCall["vote"];
type FirstOrder = Pick<Doc<"orders">, "modelId" | "priority">;

/** A further vote: the same model, with the next seed, on an idle device. */
function voteJob({ alias }: Vote, { modelId }: FirstOrder, work: TextWork, index: number) {
  return {
    model: modelId,
    ...(alias === undefined ? {} : { alias }),
    work: asMutable(withSeed(work, index)),
    priority: "low" as const,
    apart: true,
    idleOnly: true,
  };
}

/** The job of a larger model. It is as urgent as the first one. */
function largerJob(
  { maxTokens }: Vote,
  { priority = "normal" }: FirstOrder,
  work: TextWork,
  { modelId, contextTokens }: { readonly modelId: string; readonly contextTokens: number },
) {
  return { model: modelId, work: asMutable(withMaxTokens(work, maxTokens, contextTokens)), priority };
}

function isText(work: Work | null): work is TextWork {
  return work?.kind === "chat" || work?.kind === "completion";
}

async function contextOf(ctx: QueryCtx, key: Doc<"apiKeys">, modelId: string): Promise<number> {
  const { models } = await identityOf(ctx, key);
  const model = models.find((each) => each.modelId === modelId);
  return model?.contextTokens ?? refuse("model_not_found", "Your organization has no model of this name.");
}

type Ballot = { readonly jobId: string; readonly result: ComparedAnswer };

/** The answers of jobs, without those that are deleted by now. */
async function ballotsOf(ctx: QueryCtx, jobs: Jobs): Promise<readonly Ballot[]> {
  const views = await Promise.all(
    jobs
      .filter(({ status }) => status === "succeeded")
      .map(async ({ jobId, order }) => ({ jobId, view: await watch(ctx, order, undefined) })),
  );
  return views.flatMap(({ jobId, view: { result } }) =>
    result !== null && "text" in result ? [{ jobId, result }] : [],
  );
}

/** Compares the answers. The votes that are late are canceled. Without a majority, larger models are asked next. */
async function compareAnswers(ctx: MutationCtx, call: VoteCall, jobs: Jobs, now: number): Promise<void> {
  const ballots = await ballotsOf(ctx, jobs);
  // The answers may be deleted as soon as they are there, by the rules for their class of data.
  if (ballots.length === 0) {
    await endUnanswered(ctx, call, jobs, now);
    return;
  }
  const { chosen, groups } = agreementOf(ballots.map(({ result }) => result));
  const [modelId = "", key] = [jobs[0]?.order.modelId, await ctx.db.get("apiKeys", call.apiKeyId)];
  const owner = present(key, "key of a call");
  const counted = await noteVote(ctx, owner, {
    modelId,
    groups: [...groups],
    repeated: call.vote.isRepeated,
  });
  const [largest = 0] = groups;
  const opinion = {
    votes: ballots.length,
    agreed: largest,
    // It is an estimate.
    confidence: Math.round(counted * 1_000) / 1_000,
    escalated: false,
  };
  const answer = ballots[chosen]?.jobId ?? noJobs();
  const decided = { answer, ballots: ballots.map(({ jobId }) => jobId), opinion };
  const { models } = await identityOf(ctx, owner);
  const own = models.find((each) => each.modelId === modelId);
  const larger =
    isMajority(groups) || !call.vote.escalate || own === undefined ? [] : largerModels(models, own);
  if (larger.length === 0) {
    await endCall(ctx, call, { at: now, how: "decided", decision: decided });
    return;
  }
  await patchVote(ctx, call._id, {
    decided,
    larger: { models: larger.map((each) => each.modelId), asked: 0 },
  });
  await cancelOpen(ctx, call, jobs);
}

/** @returns true if the call now waits, for the end of a job or for a time. */
async function askLarger(ctx: MutationCtx, call: VoteCall, jobs: Jobs, now: number): Promise<boolean> {
  const { votes, isRepeated, decided, larger } = call.vote;
  if (decided === undefined || larger === undefined) throw new Error("a vote is not decided");
  const { models, asked, job } = larger;
  const state = jobs.find(({ jobId }) => jobId === job?.jobId);
  if (job !== undefined && state !== undefined) {
    const step = nextLargerStep({ status: state.status, askedAt: job.askedAt }, now);
    if (step.kind === "wait" && step.until !== null) await scheduleStep(ctx, call._id, step.until, now);
    if (step.kind === "wait") return true;
    if (step.kind === "decide") {
      await endCall(ctx, call, {
        at: now,
        how: "decided",
        decision: await withLarger(ctx, jobs, decided, state.jobId),
      });
      return true;
    }
    await cancelOpen(ctx, call, [state]);
  }
  const model = models[asked];
  if (model === undefined) {
    await endCall(ctx, call, { at: now, how: "decided", decision: decided });
    return true;
  }
  const index = votes + asked;
  const isAsked = isRepeated
    ? await finds(ctx, call._id, index)
    : await asks(ctx, call._id, { index, larger: model });
  const jobId = isAsked ? (await ctx.db.get("calls", call._id))?.jobIds.at(-1) : undefined;
  await patchVote(ctx, call._id, {
    larger: {
      models,
      asked: asked + 1,
      ...(jobId === undefined ? {} : { job: { jobId, askedAt: now } }),
    },
  });
  return false;
}

type Decision = NonNullable<VoteCall["vote"]["decided"]>;

/** The decision for the answer of a larger model. */
async function withLarger(ctx: QueryCtx, jobs: Jobs, decided: Decision, answer: string): Promise<Decision> {
  const answers = await ballotsOf(ctx, jobs);
  const larger = answers.find(({ jobId }) => jobId === answer);
  const votes = answers.filter(({ jobId }) => decided.ballots.includes(jobId));
  const agreed = votes.filter(({ result }) => larger !== undefined && compare(result, larger.result).agree);
  return {
    answer,
    ballots: [...decided.ballots, answer],
    opinion: { ...decided.opinion, agreed: agreed.length, confidence: null, escalated: true },
  };
}
