import type { JobInput } from "@gleaner/queue";
import type { Policy, SubmitOutcome } from "@gleaner/queue/validators";
import type { WithoutSystemFields } from "convex/server";
import { ConvexError, type Infer } from "convex/values";
import { assertNever } from "../../../app/assert-never.ts";
import { tooFewForRequest, tooFewInPlayground } from "../../../app/credits/too-few.ts";
import { plural } from "../../../app/format/quantity.ts";
import { affinityOf } from "../../../app/jobs/affinity.ts";
import type { Usage } from "../../../app/jobs/chat.ts";
import { contextNeed } from "../../../app/jobs/context-steps.ts";
import {
  attemptLimitMs,
  type Extent,
  mostContextTokens,
  mostPromptTokens,
  pricedPromptTokens,
} from "../../../app/jobs/extent.ts";
import { jobTimes } from "../../../app/jobs/limits.ts";
import { highestOf, isAbove, type JobPriority } from "../../../app/jobs/priority.ts";
import { sizeOf } from "../../../app/jobs/size.ts";
import type { Work } from "../../../app/jobs/work.ts";
import type { DataClass } from "../../../app/keys/data-classes.ts";
import {
  addCounts,
  addUse,
  exceededQuota,
  type KeyCount,
  type KeyUse,
  noCount,
} from "../../../app/keys/quotas.ts";
import type { DeviceNeeds } from "../../../app/keys/requirements.ts";
import { isRestricted, restrictionAdvice, restrictionOf } from "../../../app/keys/restriction.ts";
import { type Price, priceOf } from "../../../app/money/credits.ts";
import { formulaWords } from "../../../app/money/formula-words.ts";
import { cushion, heldTokens } from "../../../app/money/likely.ts";
import {
  partsOf,
  percentOf,
  type PriceKind,
  type PriceParts,
  priceVersionName,
} from "../../../app/money/price-list.ts";
import { leastLateVotesMs } from "../../../app/votes/patience.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { hashSecret } from "../authenticate.ts";
import { dataClassesOf } from "../keys/dataClasses.ts";
import { checkPriority } from "../keys/keyRights.ts";
import { availableOf, hold } from "../ledger/holds.ts";
import { likelySharesOf } from "../ledger/likely.ts";
import { anyShard, type Way } from "../ledger/portions.ts";
import { highestMicro, reserve, reservedTokens } from "../ledger/reservations.ts";
import { noteAliasUse } from "../models/aliases.ts";
import { findModel } from "../models/catalog.ts";
import { factorsAt, priceAt } from "../models/prices.ts";
import { orderOf } from "../orders/orders.ts";
import { policyWith, queue } from "../queue.ts";
import { boundedInteger, present, type Refusal, refuse, refuseUntil } from "../refuse.ts";
import { holdBudgets } from "../usage/budgetStops.ts";
import type { work } from "../validators/requests.ts";
import { checkDevices } from "./chances.ts";
import { checkWork } from "./checkWork.ts";
import { hasGrammar } from "./claims.ts";
import { idempotencyOf } from "./idempotency.ts";
import { takeUpJobs } from "./leftCalls.ts";
import { checkNeeds, isNoNeed, needsOf, requirementsOf } from "./needs.ts";
import { jobsOfKind } from "./restriction.ts";
import type { Submission, Submitted } from "./submission.ts";

/**
 * Queues a job and reserves its likely price, in one transaction. The key must have credits for the highest one. A repeated idempotency key gives the same job.
 * Refuses as `prepare` and `checkNew`, and: quota_exceeded, conflict (the idempotency key belongs to another request),
 * queue_full, draining, no_device (if its caller waits, or if only an idle device may get it).
 */
export async function submit(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  asked: Submission,
  now: number,
): Promise<Submitted> {
  const [taken] = (await takenUp(ctx, key, asked, 1)) ?? [];
  return taken ?? (await submitBeside(ctx, key, asked, now, noCount)).submitted;
}

/** The jobs of an equal request that was given up, in their order. Null: none may be taken up. */
async function takenUp(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  { request, idempotencyKey }: Pick<Submission, "request" | "idempotencyKey">,
  count: number,
): Promise<Submitted[] | null> {
  const taken = request === undefined ? null : await takeUpJobs(ctx, key, request, idempotencyKey, count);
  if (taken === null) return null;
  const { orders, waitId } = taken;
  const jobs = await Promise.all(orders.map(async (order) => await submittedAs(ctx, order)));
  // The jobs of a call wait as one call, which counts for the first one.
  return jobs.map((job, index) => (index === 0 ? { ...job, waitId } : job));
}

/**
 * Queues the jobs of one call: all of them, or none if one is refused. Refuses as `submit`.
 * @param works in the order of the call.
 */
export async function submitParts(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  works: readonly Infer<typeof work>[],
  asked: Omit<Submission, "work" | "part">,
  now: number,
): Promise<Submitted[]> {
  const taken = await takenUp(ctx, key, asked, works.length);
  if (taken !== null) return taken;
  const callHash = await hashSecret(JSON.stringify(works));
  const all: Submitted[] = [];
  let beside = noCount;
  for (const [index, each] of works.entries()) {
    const [first] = all;
    const part = { index, callHash, ...(first === undefined ? {} : { of: first.jobId }) };
    // All jobs of a call need the same of a device.
    const isAwaited = asked.isAwaited === true && index === 0;
    const one = { ...asked, work: each, part, isAwaited };
    const { submitted, count } = await submitBeside(ctx, key, one, now, beside);
    all.push(submitted);
    beside = addCounts(beside, count);
  }
  return all;
}

/** Submits a job. @param beside what the same transaction has reserved, which the use does not show yet. */
async function submitBeside(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  asked: Submission,
  now: number,
  beside: KeyCount,
): Promise<{ readonly submitted: Submitted; readonly count: KeyCount }> {
  const { organizationId } = key;
  const { isAwaited = false } = asked;
  const prepared = await prepare(ctx, key, asked, now);
  const { job } = prepared;
  const outcome = await queue.submit(ctx, organizationId, job, {
    handOver: asked.handOver === true,
    ...(asked.idleOnly === true ? { slowerByMs: leastLateVotesMs } : {}),
    spareLanes: isNoNeed(asked.requires) ? 0 : keptLanes,
  });
  if (outcome.kind !== "submitted") return refuseOutcome(outcome, isAbove(highestOf(key), job.priority));
  const { jobId, repeated, handed } = outcome;
  if (repeated) {
    // The first submission may not have asked for a stream, so the queue stores the text in chunks from now on.
    if (asked.stream) await queue.follow(ctx, organizationId, jobId);
    const first = present(await orderOf(ctx, jobId), "order of a job");
    return { submitted: await submittedAs(ctx, first), count: noCount };
  }

  // Only a new job is refused or charged. A refusal undoes the submission.
  await checkNew(ctx, key, prepared, now);
  if (asked.use !== undefined) checkQuotas(key, addUse(asked.use, beside), prepared.order, now);
  const way = { shard: anyShard(), turn: asked.turn };
  const order = await heldOrder(ctx, prepared.order, way);
  if (order === null) {
    const jobs = beside.micro === 0n ? 1 : (asked.part?.index ?? 0) + 1;
    const most = beside.micro + highestMicro(prepared.order);
    const has = beside.micro + (await availableOf(ctx, key._id));
    const why =
      key.playgroundSession === undefined
        ? tooFewForRequest(jobs, most, has, mostFormula(prepared))
        : tooFewInPlayground(most, has);
    refuse("quota_exceeded", why);
  }
  const stopped = await holdBudgets(ctx, key, order.reservedMicro, now, way);
  if (stopped !== null) throw new ConvexError<Refusal>(stopped);
  if (asked.idleOnly === true && !handed) refuse("no_device", "No device is idle.");
  if (isAwaited && !handed) {
    const { needs, modelBytes } = prepared;
    await checkDevices(
      ctx,
      organizationId,
      { modelId: order.modelId, modelBytes, kind: asked.work.kind, needs },
      now,
    );
  }
  await placeOrder(ctx, key, { ...order, jobId }, now);
  const { modelId, pricePercent = 100 } = order;
  const { sha256 } = prepared;
  const submitted = { jobId, pricePercent, priority: job.priority, modelId, sha256, repeated: false };
  return { submitted, count: countOf(order) };
}

/** Holds the likely price of a job, or its highest one if the key has few credits. Null: it has too few. */
export async function heldOrder(
  ctx: MutationCtx,
  order: PreparedJob["order"],
  way: Way = { shard: anyShard() },
): Promise<PreparedJob["order"] | null> {
  const { apiKeyId, reservedMicro, held } = order;
  const highest = highestMicro(order);
  if (held !== undefined && (await hold(ctx, apiKeyId, reservedMicro, cushion * highest, way))) return order;
  return (await hold(ctx, apiKeyId, highest, highest, way)) ? wholeOrder(order) : null;
}

/** The order with its highest price reserved. */
export function wholeOrder(order: PreparedJob["order"]): PreparedJob["order"] {
  const { held: _, ...whole } = order;
  return { ...whole, reservedMicro: highestMicro(order) };
}

/** The job of an earlier request. Its alias may stand for another model now. */
export async function submittedAs(
  ctx: QueryCtx,
  { jobId, organizationId, modelId, pricePercent = 100, priority = "normal", call }: Doc<"orders">,
): Promise<Submitted> {
  const { sha256 } = present(await findModel(ctx, organizationId, modelId), "model of an order");
  const ofCall = call === undefined ? {} : { call };
  return { jobId, pricePercent, priority, modelId, sha256, repeated: true, ...ofCall };
}

/** A request as the queue's job, and its order, which needs only the job's id. `sha256`, `modelBytes`: of its model's file. */
export type PreparedJob = {
  readonly job: JobInput & { readonly priority: JobPriority };
  readonly order: Omit<WithoutSystemFields<Doc<"orders">>, "jobId">;
  readonly needs: DeviceNeeds;
  readonly priceParts: PriceParts;
  readonly sha256: string;
  readonly modelBytes: number;
};

/**
 * Checks a request and prepares its job. Writes nothing. `pricedClass`: the data class whose price counts, if it is not that of the request;
 * null for none. Refuses: model_not_found, invalid, too_large, context_length_exceeded,
 * requirements_not_allowed.
 */
export async function prepare(
  ctx: QueryCtx,
  key: Doc<"apiKeys">,
  asked: Submission & { readonly pricedClass?: string | null },
  now: number,
): Promise<PreparedJob> {
  const { organizationId, _id: apiKeyId } = key;
  const classes = await dataClassesOf(ctx, organizationId);
  const { needs, dataClass, rules } = needsOf(key, asked.requires, classes);
  const { work, callForm, echo, stream, alias } = asked;
  const priority = priorityOf(key, asked);
  const [model, factors, idempotency] = await Promise.all([
    findModel(ctx, organizationId, asked.model),
    factorsAt(ctx, organizationId, now),
    idempotencyOf(key, asked),
  ]);
  if (!model?.enabled) refuse("model_not_found", "Your organization has no model of this name.");
  const { modelId, sha256, sizeBytes: modelBytes } = model;
  const { value: modelPrice, version } = priceAt(model, now);
  // A tokenizer takes a thousandth of the time in which the model would read the text.
  const price = work.kind === "tokens" ? noPrice : modelPrice;
  const extent = checkWork(work, model);
  const cacheOwner = await cacheOwnerOf(key, dataClass);
  // The device that has read the prompt before is probably the one that has another job of the call.
  const affinity = asked.idleOnly === true ? null : affinityOf(modelId, cacheOwner, work);
  const constrained = hasGrammar(work.request);
  const contextTokens = contextNeed(mostContextTokens(work, extent), model.contextTokens);
  const pricedClass = asked.pricedClass === undefined ? dataClass : (asked.pricedClass ?? undefined);
  const priced = { priority, kind: priceKindOf(work), dataClass: pricedClass, at: now };
  const [pricePercent, priceParts] = [percentOf(factors.value, priced), partsOf(factors.value, priced)];
  const { most, vectors, tries } = extent;
  const size = sizeOf(extent);
  const bound = { promptTokens: pricedPromptTokens(extent), completionTokens: most.completionTokens };
  const likely = await likelySharesOf(ctx, key, modelId, bound.completionTokens, now);
  // A template's own tokens are learned, too.
  const held = heldTokens(bound, likely, size.input - extent.likelyAddedTokens);

  const job = {
    kind: work.kind,
    payload: { ...work.request, cacheOwner, ...(echo === undefined ? {} : { echo }) },
    requirements: {
      model: modelId,
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...requirementsOf(needs),
    },
    requester: apiKeyId,
    key: jobsOfKind(apiKeyId, { constrained, ...(tries === undefined ? {} : { tries }) }),
    priority,
    ...(affinity === null ? {} : { affinity }),
    ...policyOf(asked, rules),
    watched: stream,
    called: asked.endsWithCall === true,
    attemptMs: attemptLimitMs(extent),
    size,
    deadlineAt: now + timeOf(asked),
    ...idempotency,
  };
  const order = {
    organizationId,
    apiKeyId,
    modelId,
    price,
    reservedMicro: priceOf({ ...price, percent: pricePercent }, held),
    ...(isLess(held, bound) ? { held } : {}),
    round: 0,
    priority,
    ...(pricePercent === 100 ? {} : { pricePercent }),
    priceVersion: priceVersionName(version, factors.version),
    ...(constrained ? { constrained } : {}),
    ...(asked.endsWithCall === true ? { endsWithCall: true } : {}),
    ...(asked.request === undefined ? {} : foundBy(asked.request.hash, asked.part?.of)),
    ...(alias === undefined ? {} : { alias }),
    ...(callForm === undefined ? {} : { callForm }),
    ...(dataClass === undefined ? {} : { dataClass }),
    ...(rules === null ? {} : { keptHours: rules.keptHours }),
    most,
    promptTokens: mostPromptTokens(extent),
    reservedPromptTokens: bound.promptTokens,
    ...(vectors === undefined ? {} : { vectors }),
    ...(tries === undefined ? {} : { tries }),
  };
  return { job, order, needs, priceParts, sha256, modelBytes };
}

/**
 * Checks what a key may ask for now. Refuses: priority_not_allowed, requirements_unmet, key_restricted (its requests have stopped
 * too many devices or met no schema too often).
 */
export async function checkNew(
  ctx: QueryCtx,
  key: Doc<"apiKeys">,
  { job, order, needs }: PreparedJob,
  now: number,
): Promise<void> {
  checkPriority(key, job.priority);
  await checkNeeds(ctx, key.organizationId, needs);
  const restriction = restrictionOf(key, now);
  if (restriction !== null && isRestricted(restriction, order)) {
    refuseUntil("key_restricted", restrictionAdvice(restriction), restriction.until - now);
  }
}

/** How the highest price of a job came about. */
export function mostFormula({ order, priceParts: parts }: PreparedJob): string {
  const { price, pricePercent: percent = 100, priceVersion = "0.0", most, vectors } = order;
  const { reservedPromptTokens: promptTokens = most.promptTokens } = order;
  const completionTokens = vectors === undefined ? most.completionTokens : null;
  const words = formulaWords({ ...price, promptTokens, completionTokens, percent, parts });
  return `${words}, price version ${priceVersion}`;
}

/** The counts that a job reserves. */
export function countOf(order: PreparedJob["order"]): KeyCount {
  return { requests: 1, tokens: reservedTokens(order), micro: order.reservedMicro };
}

/** The most that a job may use. */
export function mostCountOf(order: PreparedJob["order"]): KeyCount {
  return { ...countOf(order), micro: highestMicro(order) };
}

/** Refuses (quota_exceeded) a job with which its key would use more than it may. */
export function checkQuotas(
  { quotas = {} }: Doc<"apiKeys">,
  use: KeyUse,
  order: PreparedJob["order"],
  now: number,
): void {
  const exceeded = exceededQuota(quotas, use, mostCountOf(order), now);
  if (exceeded === null) return;
  const { message, resetAt } = exceeded;
  throw new ConvexError<Refusal>({
    code: "quota_exceeded",
    message,
    ...(resetAt === null ? {} : { retryAfterMs: resetAt - now }),
  });
}

/** Stores the order of a new job, and reserves its price. */
export async function placeOrder(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  order: WithoutSystemFields<Doc<"orders">>,
  now: number,
): Promise<void> {
  const { alias } = order;
  await Promise.all([
    ctx.db.insert("orders", order),
    reserve(ctx, order, now),
    alias === undefined ? null : noteAliasUse(ctx, key, alias, now),
  ]);
}

/** A policy for the queue, if it is not that of most jobs. */
function policyOf({ idleOnly = false }: Submission, rules: DataClass | null): { readonly policy?: Policy } {
  if (!idleOnly && rules === null) return {};
  // A second device for a vote that is late would cost more than it gains.
  const once = idleOnly ? { secondAttempt: false as const } : {};
  return { policy: policyWith({ ...once, ...(rules === null ? {} : { keptHours: rules.keptHours }) }) };
}

/** A request that asks for no priority gets the normal one, or a lower one if its key may ask for no more. */
function priorityOf(key: Doc<"apiKeys">, { priority = "normal" }: Submission): JobPriority {
  const highest = highestOf(key);
  return priority === "normal" && isAbove(priority, highest) ? highest : priority;
}

/**
 * Names a key and its data class to devices, without telling them either. Only jobs of one key share a cached prompt: not
 * even a system prompt is public, and a count of cached tokens tells that somebody else has sent it.
 */
async function cacheOwnerOf(
  { organizationId, _id }: Doc<"apiKeys">,
  dataClass: string | undefined,
): Promise<string> {
  return (await hashSecret(JSON.stringify([organizationId, _id, dataClass ?? null]))).slice(0, 32);
}

/** The highest price that a job can have. It is known before any tokenizer has read the prompt. */
export function highestPrice(price: Price, extent: Extent): bigint {
  const { completionTokens } = extent.most;
  return priceOf(price, { promptTokens: pricedPromptTokens(extent), completionTokens });
}

/** The kind of job by which prices may differ. */
export function priceKindOf({ kind }: Pick<Work, "kind">): PriceKind {
  return kind === "embedding" ? "embedding" : "text";
}

function isLess(held: Usage, bound: Usage): boolean {
  return held.promptTokens < bound.promptTokens || held.completionTokens < bound.completionTokens;
}

const noPrice: Price = { promptMicro: 0n, completionMicro: 0n };

/** How long the job may take, in ms. A job that ends with its call gets no more time than the call. Refuses: invalid. */
function timeOf({ expiresInMs, endsWithCall = false }: Submission): number {
  const { leastMs, mostMs, usualMs, ofCallMs } = jobTimes;
  const asked = boundedInteger(expiresInMs ?? usualMs, "expiresInMs", leastMs, mostMs);
  return endsWithCall ? Math.min(asked, ofCallMs) : asked;
}

/** The fields by which a retry finds an order. @param firstJob of its call; undefined: it is the first one. */
function foundBy(request: string, firstJob: string | undefined): Pick<Doc<"orders">, "request" | "firstJob"> {
  return { request, ...(firstJob === undefined ? {} : { firstJob }) };
}

/** Lanes that requirements of requests leave to everybody else's. */
export const keptLanes = 16;

/** A requester may retry after this time while an admin drains the model's lane. */
export const drainingRetryMs = 60_000;

/** @param mayRise whether the key may ask for a higher priority. */
export function refuseOutcome(
  outcome: Exclude<SubmitOutcome, { kind: "submitted" }>,
  mayRise: boolean,
): never {
  switch (outcome.kind) {
    case "full":
      return refuseUntil("queue_full", "Too many requests wait already.", outcome.retryAfterMs);
    case "busy":
      return refuseUntil("queue_full", busyWords(outcome, mayRise), outcome.retryAfterMs);
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

/** Tells how long the request would wait, and what helps. */
function busyWords(
  { expectedWaitMs, longestWaitMs }: Extract<SubmitOutcome, { kind: "busy" }>,
  mayRise: boolean,
): string {
  const waits = `This request would wait about ${minutesIn(expectedWaitMs)}`;
  const most = `requests of its priority may wait ${minutesIn(longestWaitMs)}`;
  const again = mayRise ? "Try again later, or at a higher priority" : "Try again later";
  return `${waits}, and ${most}. ${again}. Your administrator can raise the limit.`;
}

function minutesIn(ms: number): string {
  return plural(Math.ceil(ms / 60_000), ["# minute", "# minutes"]);
}
