import type { JobInput } from "@gleaner/queue";
import type { Value } from "convex/values";
import { validate } from "convex-helpers/validators";
import { unseenTokens } from "../../../app/jobs/answers/text-check.ts";
import { countWritten } from "../../../app/jobs/answers/written-tokens.ts";
import { attemptLimitMs } from "../../../app/jobs/extent.ts";
import { parseCacheOwner, parseWork } from "../../../app/jobs/payload/payload.ts";
import { utf8Length } from "../../../app/jobs/utf8.ts";
import {
  isOfVectors,
  isReplayable,
  mostVectors,
  parseReplay,
  type ReplayRequest,
} from "../../../app/trust/replay.ts";
import { tokensOfVector } from "../../../app/trust/vector-fit.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { findModel } from "../models/catalog.ts";
import { queue, textsKeptMs } from "../queue.ts";
import { stateOf } from "../texts/dataKeys.ts";
import { textAnswer, vectorAnswer } from "../validators/answers.ts";
import type { Checkers } from "./checkers.ts";
import { countWaiting } from "./standings.ts";

/** A replay that no device has begun by then expires. */
export const longestWaitMs = 6 * 3_600_000;
/** Lanes that replays leave to requests. */
const keptLanes = 16;
/** A model that has to be loaded first is read from a disk in this time. */
const loadMs = 20_000;

/** The replay of a job; null if it is none. */
export async function replayOfJob(ctx: QueryCtx, jobId: string): Promise<Doc<"replays"> | null> {
  return await ctx.db
    .query("replays")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .unique();
}

/** Whether an answer is of a kind that can be replayed, as far as its order tells. Tokens are no answer of the model. */
export function mayBeReplayed({ most, vectors }: Doc<"orders">): boolean {
  return most.completionTokens > 0 || vectors !== undefined;
}

/** `caseId`: the case for which a replay is asked. `unheard`: the reports in its place that were not heard. */
type Asked = { readonly caseId?: Id<"trustCases">; readonly unheard?: number };

/**
 * Queues a replay of an answer, for a device of another owner that has not replayed it yet. It has the requirements of the answer's
 * job. So a device reads the text only if it could have got the job itself. Its payload is deleted at its end, and not later than
 * the texts of the answer's job.
 * @param checkers the devices that may replay it.
 * @returns whether it is queued: not if the answer cannot be replayed, or its text is deleted or locked, or the queue is full.
 */
export async function queueReplay(
  ctx: MutationCtx,
  order: Doc<"orders">,
  deviceId: Id<"devices">,
  { kept, tags }: Checkers,
  asked: Asked = {},
): Promise<boolean> {
  const { organizationId, jobId: of, modelId, most, usage, deviceClass } = order;
  // A check is not worth an error in the transactions that ask for it.
  if (["none", "locked"].includes((await stateOf(ctx, organizationId)).state)) return false;
  const [view, payload, answered, model] = await Promise.all([
    queue.status(ctx, organizationId, of),
    queue.payload(ctx, organizationId, of),
    queue.result(ctx, organizationId, of),
    findModel(ctx, organizationId, modelId),
  ]);
  const keptMs = textsKeptMs(order);
  const now = Date.now();
  if (view === null || payload === null || usage === undefined || model === null) return false;
  const content = contentOf(view.kind, payload.payload, answered?.result);
  if (content === null) return false;
  const { request, mostTokens, inputShare, unseen } = content;
  const cacheOwner = parseCacheOwner(payload.payload);
  const job: JobInput = {
    kind: "replay",
    payload: { ...request, ...(cacheOwner === undefined ? {} : { cacheOwner }) } as unknown as Value,
    requirements:
      tags.length === 0
        ? view.requirements
        : { ...view.requirements, tags: [...(view.requirements.tags ?? []), ...tags] },
    priority: "low",
    apart: of,
    exceptWorkers: kept.map(({ workerId }) => workerId),
    size: {
      input: Math.ceil(inputShare * usage.promptTokens) + usage.completionTokens,
      output: 0,
      likelyOutput: 0,
      setupMs: loadMs,
    },
    attemptMs: attemptLimitMs({ promptBytes: order.promptTokens ?? most.promptTokens, most }),
    expiresAt: now + longestWaitMs,
    // The text goes when that of the answer does.
    deadlineAt: (view.finishedAt ?? now) + keptMs,
    onFinal: internal.trust.checks.onFinal,
  };
  const submitted = await queue.submit(ctx, organizationId, job, { spareLanes: keptLanes });
  if (submitted.kind !== "submitted") return false;
  await ctx.db.insert("replays", {
    organizationId,
    jobId: submitted.jobId,
    of,
    deviceId,
    modelId,
    sha256: model.sha256,
    ...(deviceClass === undefined ? {} : { deviceClass }),
    ...asked,
    answerBytes: mostTokens,
    ...(unseen === null ? {} : { unseenTokens: unseen }),
    state: "waiting",
  });
  await countWaiting(ctx, { organizationId, deviceId, modelId }, 1);
  return true;
}

/**
 * The content of a replay, a bound of the tokens that it compares, and the share of the job's input that it reads.
 * `unseen`: a bound of the answer's tokens that its text does not show; null for vectors.
 */
type Content = {
  readonly request: ReplayRequest;
  readonly mostTokens: number;
  readonly inputShare: number;
  readonly unseen: number | null;
};

/** Null if the answer cannot be replayed. */
function contentOf(kind: string, payload: Value, answer: Value | undefined): Content | null {
  if (validate(vectorAnswer, answer)) return vectorsContent(payload, answer.embeddings);
  if (!validate(textAnswer, answer)) return null;
  const { text, finishReason, toolCalls, written } = answer;
  const calls = toolCalls?.map((call) => ({ name: call.name, arguments: call.arguments }));
  const replayed = {
    text,
    finishReason,
    ...(calls === undefined ? {} : { toolCalls: calls }),
    ...(written === undefined ? {} : { written }),
  };
  const request = parseReplay({ of: { kind, request: payload }, answer: replayed });
  if (request === null || isOfVectors(request)) return null;
  if (!isReplayable(request.of, request.answer)) return null;
  const unseen = unseenTokens(request.answer, request.of.request);
  const ofCalls = (calls ?? []).map((call) => tokensAroundCall + utf8Length(call.name + call.arguments));
  const ofText = ofCalls.reduce((sum, each) => sum + each, utf8Length(text));
  // Control tokens and stop texts do not show. The ends of a call's name and of its arguments count, too.
  const ofWritten = (countWritten(written ?? "") ?? 0) + 2 * ofCalls.length;
  const mostTokens = Math.max(ofText, ofWritten);
  return { request, mostTokens, inputShare: 1, unseen };
}

/** Tokens that a template puts around a call, at most. */
const tokensAroundCall = 256;

/** Some of a job's vectors, drawn anew for each replay, so that no device knows which of its vectors are checked. */
function vectorsContent(payload: Value, embeddings: readonly string[]): Content | null {
  const work = parseWork("embedding", payload);
  if (work?.kind !== "embedding") return null;
  const { inputs, ...rest } = work.request;
  const places = drawPlaces(embeddings.length, mostVectors);
  const request = parseReplay({
    of: { kind: "embedding", request: { ...rest, inputs: places.map((place) => inputs[place]) } },
    answer: { embeddings: places.map((place) => embeddings[place]) },
  });
  const share = places.length / Math.max(1, embeddings.length);
  const mostTokens = tokensOfVector * places.length;
  return request === null ? null : { request, mostTokens, inputShare: share, unseen: null };
}

/** Draws at most `most` of the numbers below `count`, in their order. */
function drawPlaces(count: number, most: number): number[] {
  const left = Array.from({ length: count }, (_, place) => place);
  const drawn: number[] = [];
  while (left.length > 0 && drawn.length < most) {
    drawn.push(...left.splice(Math.floor(Math.random() * left.length), 1));
  }
  return drawn.sort((one, other) => one - other);
}

const canceledPerCall = 50;

/**
 * Cancels a page of an organization's replays that wait. Older ones are canceled by their time.
 * @returns the cursor of the next page; null at the end.
 */
export async function cancelWaiting(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  cursor: string | null,
  now: number,
): Promise<string | null> {
  const { page, isDone, continueCursor } = await ctx.db
    .query("replays")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).gt("_creationTime", now - longestWaitMs),
    )
    .order("desc")
    .paginate({ numItems: canceledPerCall, cursor });
  for (const { jobId, state } of page)
    if (state === "waiting") await queue.cancel(ctx, organizationId, jobId);
  return isDone ? null : continueCursor;
}
