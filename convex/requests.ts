import { priority } from "@gleaner/queue/validators";
import { v } from "convex/values";
import { storedId } from "../app/batches/openai-objects.ts";
import type { Doc } from "./_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "./_generated/server.js";
import { internalMutation, internalQuery, mutation, query } from "./_generated/server.js";
import { recordCancel } from "./model/audit.ts";
import { admittedKey, authenticateApiKey, usableKey } from "./model/authenticate.ts";
import { beginCall } from "./model/calls/calls.ts";
import { laterCall } from "./model/calls/validators.ts";
import { checkAddress, checkAnswerScope, checkScope } from "./model/keys/keyAccess.ts";
import { noteUse } from "./model/keys/keyUse.ts";
import { presentUse } from "./model/ledger/keyDays.ts";
import { identity, identityOf } from "./model/models/identity.ts";
import { asMutable } from "./model/mutable.ts";
import { givenRating, ratingOf, ratingView, viewOf as ratingViewOf } from "./model/orders/jobRating.ts";
import { canceled, cancelOrder, ownedOrder } from "./model/orders/orders.ts";
import { prioritized, setOrderPriority } from "./model/orders/priorities.ts";
import { checkPage, originsOfAny as anyOrigins } from "./model/pageOrigins.ts";
import { queue } from "./model/queue.ts";
import { countCall, countCalls } from "./model/rates.ts";
import { ratedOutcome, rateJob, removeRating } from "./model/ratings/rate.ts";
import { mostReceipts, receiptOf, receiptsOf } from "./model/receipts/read.ts";
import { askedInteger, refuse } from "./model/refuse.ts";
import { endLeftCall as endLeft, leaveJob } from "./model/requests/leftCalls.ts";
import { quoteOf, quoteView } from "./model/requests/quote.ts";
import {
  jobResult,
  jobResultOf,
  orderPage,
  requesterJob,
  requesterJobOf,
  requesterJobPage,
} from "./model/requests/requesterJob.ts";
import { submission, submitted } from "./model/requests/submission.ts";
import { submit as submitJob, submitParts as submitAll, submittedAs } from "./model/requests/submit.ts";
import { furtherOrder, noteVote } from "./model/requests/votes.ts";
import { beginWait, endWait, mayWait, waitAdmission } from "./model/requests/waits.ts";
import { watch as watchJob, watchPosition, watchView } from "./model/requests/watch.ts";
import { deviceNeeds, keyScope, keyUse } from "./model/validators/keys.ts";
import { work } from "./model/validators/requests.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Left out: every key may make the call. */
const scope = v.optional(keyScope);
/** The origin of the page that calls. Left out: no page of another server does. */
const page = v.optional(v.string());

/**
 * Admits a call of the HTTP API: authenticates its key, finds the models and counts the call, in one transaction. A call that is
 * refused is not counted. `scope`: what the call needs. Refuses: unauthorized, revoked, expired, address_not_allowed,
 * origin_not_allowed, scope_missing, rate_limited.
 */
export const admit = internalMutation({
  args: { apiKey: v.string(), scope, page },
  returns: identity,
  handler: async (ctx, { apiKey, scope, page }) => {
    const key = await authenticateApiKey(ctx, apiKey);
    if (key.addresses !== undefined) checkAddress(key, (await ctx.meta.getRequestMetadata()).ip);
    await checkPage(ctx, key, page);
    checkScope(key, scope ?? null);
    const now = Date.now();
    const left = await countCall(ctx, key._id, now);
    await noteUse(ctx, key._id, now);
    return { ...(await identityOf(ctx, key)), left };
  },
});

/** The same without counting the call, for when the rate limiter fails. Refuses as `admit`, except for rate_limited. */
export const identify = internalQuery({
  args: { apiKey: v.string(), scope, page, address: v.optional(v.string()) },
  returns: identity,
  handler: async (ctx, { apiKey, scope, page, address }) => {
    const key = await authenticateApiKey(ctx, apiKey);
    checkAddress(key, address ?? null);
    await checkPage(ctx, key, page);
    checkScope(key, scope ?? null);
    return await identityOf(ctx, key);
  },
});

/** The origins whose pages may send a call before it is known whose key it has; null: all. */
export const originsOfAny = internalQuery({
  args: {},
  returns: v.union(v.array(v.string()), v.null()),
  handler: async (ctx) => asMutable(await anyOrigins(ctx)),
});

/** The use of a key on the present day and in the present month, until now. */
export const useOfKey = internalQuery({
  args: { keyId: v.id("apiKeys") },
  returns: keyUse,
  handler: async (ctx, { keyId }) => await presentUse(ctx, keyId, Date.now()),
});

/** The present price of a request of an admitted key, which is not made. Refuses: unauthorized, revoked, and as `quoteOf`. */
export const quote = internalQuery({
  args: { keyId: v.id("apiKeys"), model: v.string(), work, priority, requires: v.optional(deviceNeeds) },
  returns: quoteView,
  handler: async (ctx, { keyId, ...asked }) =>
    await quoteOf(ctx, await admittedKey(ctx, keyId), asked, Date.now()),
});

/**
 * Submits a job for an admitted key. Internal, so that nobody gets past the count of calls. `answerScope`: what the key needs to
 * fetch the answer later. `later`: the job is the first one of a call with votes that is answered later. Refuses: unauthorized, revoked,
 * scope_missing, rate_limited (a further job of a call), and as `submit` in model/requests/ and `beginCall` in model/calls/ say.
 */
export const submit = internalMutation({
  args: { keyId: v.id("apiKeys"), answerScope: scope, later: v.optional(laterCall), ...submission },
  returns: submitted,
  handler: async (ctx, { keyId, answerScope, later, ...asked }) => {
    const key = await admittedKey(ctx, keyId);
    checkAnswerScope(key, answerScope ?? null);
    // The call itself is counted already, but not its further jobs.
    if ((asked.part?.index ?? 0) > 0) await countCalls(ctx, keyId, 1);
    const now = Date.now();
    const job = await submitJob(ctx, key, asked, now);
    return later === undefined ? job : { ...job, call: await beginCall(ctx, key, [job], later, asked, now) };
  },
});

const { work: _, part: __, ...ofCall } = submission;

/**
 * Submits the jobs of one call for an admitted key: all, or none if one is refused. Each counts as a call, since it costs the
 * backend as much. `later`: the call is answered later. Refuses as `submit`, and: rate_limited.
 */
export const submitParts = internalMutation({
  args: {
    keyId: v.id("apiKeys"),
    answerScope: scope,
    later: v.optional(laterCall),
    works: v.array(work),
    ...ofCall,
  },
  returns: v.array(submitted),
  handler: async (ctx, { keyId, answerScope, later, works, ...asked }) => {
    const key = await admittedKey(ctx, keyId);
    checkAnswerScope(key, answerScope ?? null);
    // The call itself is counted already.
    await countCalls(ctx, keyId, works.length - 1);
    const now = Date.now();
    const jobs = await submitAll(ctx, key, works, asked, now);
    if (later === undefined) return jobs;
    const call = await beginCall(ctx, key, jobs, later, asked, now);
    return jobs.map((job) => ({ ...job, call }));
  },
});

/** A further job of a call, by its first job and its number. Submits nothing. Refuses: unauthorized, revoked. */
export const furtherAdmitted = internalQuery({
  args: { keyId: v.id("apiKeys"), of: v.string(), index: v.number() },
  returns: v.union(submitted, v.null()),
  handler: async (ctx, { keyId: apiKeyId, ...which }) => {
    const { organizationId } = await admittedKey(ctx, apiKeyId);
    const order = await furtherOrder(ctx, { organizationId, apiKeyId }, which);
    return order === null ? null : await submittedAs(ctx, order);
  },
});

/**
 * Counts a vote of a key's model, and tells how likely one more answer would agree. `repeated`: it was counted before. Refuses:
 * unauthorized, revoked.
 */
export const noteVoteAdmitted = internalMutation({
  args: {
    keyId: v.id("apiKeys"),
    modelId: v.string(),
    groups: v.array(v.number()),
    repeated: v.boolean(),
  },
  returns: v.number(),
  handler: async (ctx, { keyId, ...vote }) => await noteVote(ctx, await admittedKey(ctx, keyId), vote),
});

/** Whether another call of the key may wait for its answer. */
export const mayWaitAdmitted = internalQuery({
  args: { keyId: v.id("apiKeys") },
  returns: waitAdmission,
  handler: async (ctx, { keyId }) => await mayWait(ctx, keyId, Date.now()),
});

/** Counts a call that waits, until `endWaitAdmitted`. */
export const beginWaitAdmitted = internalMutation({
  args: {
    keyId: v.id("apiKeys"),
    until: v.number(),
    jobId: v.optional(v.string()),
    request: v.optional(v.string()),
  },
  returns: v.id("waits"),
  handler: async (ctx, { keyId, ...wait }) => await beginWait(ctx, keyId, wait),
});

export const endWaitAdmitted = internalMutation({
  args: { waitId: v.id("waits") },
  returns: v.null(),
  handler: async (ctx, { waitId }) => {
    await endWait(ctx, waitId);
    return null;
  },
});

/** Leaves the job of a call that ends before its answer: an equal request may take it up soon. Otherwise it is canceled. */
export const leaveAdmitted = internalMutation({
  args: { keyId: v.id("apiKeys"), jobId: v.string(), request: v.string() },
  returns: v.null(),
  handler: async (ctx, { keyId, ...job }) => {
    await leaveJob(ctx, keyId, job);
    return null;
  },
});

export const endLeftCall = internalMutation({
  args: { leftId: v.id("leftCalls") },
  returns: v.null(),
  handler: async (ctx, { leftId }) => {
    await endLeft(ctx, leftId, Date.now());
    return null;
  },
});

/**
 * The order of the key's job. A key does not see other keys' jobs, not even those of its own organization. Refuses:
 * unauthorized, revoked, not_found.
 */
async function orderOf(ctx: QueryCtx, found: Doc<"apiKeys"> | null, jobId: string): Promise<Doc<"orders">> {
  const key = usableKey(found);
  if (storedId("call", jobId) !== "")
    refuse("not_found", "This is a call of several jobs. Ask for its jobs, which its field “jobs” names.");
  const order = await ownedOrder(ctx, key.organizationId, jobId);
  return order.apiKeyId === key._id ? order : refuse("not_found", "There is no such job.");
}

const ofApiKey = { apiKey: v.string(), jobId: v.string() };
/** `admit` has authenticated the key, so its id is enough. A key that was revoked since then is refused. */
const ofAdmittedKey = { keyId: v.id("apiKeys"), jobId: v.string() };
const after = v.optional(watchPosition);

/**
 * The API key of a Convex client. A query does not know its caller's address, so a key with a list of addresses is refused. Refuses:
 * unauthorized, revoked, expired, address_not_allowed, scope_missing.
 */
async function clientsKey(ctx: QueryCtx, apiKey: string): Promise<Doc<"apiKeys">> {
  const key = await authenticateApiKey(ctx, apiKey);
  checkAddress(key, null);
  checkScope(key, "jobs");
  return key;
}

/** A job's state, and its text after a position. Refuses as `clientsKey`, and: not_found. */
export const watch = query({
  args: { ...ofApiKey, after },
  returns: watchView,
  handler: async (ctx, { apiKey, jobId, after }) =>
    await watchJob(ctx, await orderOf(ctx, await clientsKey(ctx, apiKey), jobId), after),
});

/** `watch` for the HTTP API. */
export const watchAdmitted = internalQuery({
  args: { ...ofAdmittedKey, after },
  returns: watchView,
  handler: async (ctx, { keyId, jobId, after }) =>
    await watchJob(ctx, await orderOf(ctx, await ctx.db.get("apiKeys", keyId), jobId), after),
});

async function cancelByRequester(ctx: MutationCtx, order: Doc<"orders">, why?: string) {
  const outcome = await cancelOrder(ctx, order);
  if (outcome.kind === "canceled") await recordCancel(ctx, order, Date.now(), why);
  return outcome;
}

/** Cancels an unfinished job and releases its reservation. Refuses like `watch`. */
export const cancel = mutation({
  args: ofApiKey,
  returns: canceled,
  handler: async (ctx, { apiKey, jobId }) =>
    await cancelByRequester(ctx, await orderOf(ctx, await clientsKey(ctx, apiKey), jobId)),
});

/** `cancel` for the HTTP API. @param why for the audit trail, if its requester did not ask for it. */
export const cancelAdmitted = internalMutation({
  args: { ...ofAdmittedKey, why: v.optional(v.string()) },
  returns: canceled,
  handler: async (ctx, { keyId, jobId, why }) =>
    await cancelByRequester(ctx, await orderOf(ctx, await ctx.db.get("apiKeys", keyId), jobId), why),
});

/**
 * Changes the priority of a job that no device has started. A higher one may cost more. Refuses like `watch`, and:
 * priority_not_allowed, quota_exceeded.
 */
export const setPriority = mutation({
  args: { ...ofApiKey, priority },
  returns: prioritized,
  handler: async (ctx, { apiKey, jobId, priority: wanted }) =>
    await setOrderPriority(ctx, await orderOf(ctx, await clientsKey(ctx, apiKey), jobId), wanted, Date.now()),
});

/** `setPriority` for the HTTP API. */
export const setPriorityAdmitted = internalMutation({
  args: { ...ofAdmittedKey, priority },
  returns: prioritized,
  handler: async (ctx, { keyId, jobId, priority: wanted }) =>
    await setOrderPriority(
      ctx,
      await orderOf(ctx, await ctx.db.get("apiKeys", keyId), jobId),
      wanted,
      Date.now(),
    ),
});

/** Rates the answer of a job. Refuses like `watch`, and: invalid. */
export const rateAdmitted = internalMutation({
  args: { ...ofAdmittedKey, given: givenRating },
  returns: ratedOutcome,
  handler: async (ctx, { keyId, jobId, given }) => {
    const order = await orderOf(ctx, await ctx.db.get("apiKeys", keyId), jobId);
    return await rateJob(ctx, order, given, { actor: { keyId }, at: Date.now() });
  },
});

/** Removes the rating of a job's answer. Refuses like `watch`. */
export const removeRatingAdmitted = internalMutation({
  args: ofAdmittedKey,
  returns: ratedOutcome,
  handler: async (ctx, { keyId, jobId }) => {
    const order = await orderOf(ctx, await ctx.db.get("apiKeys", keyId), jobId);
    return await removeRating(ctx, order, { actor: { keyId }, at: Date.now() });
  },
});

/** The rating of a job's answer; null without one. Refuses like `watch`. */
export const ratingAdmitted = internalQuery({
  args: ofAdmittedKey,
  returns: v.union(ratingView, v.null()),
  handler: async (ctx, { keyId, jobId }) => {
    const row = await ratingOf(ctx, await orderOf(ctx, await ctx.db.get("apiKeys", keyId), jobId));
    return row === null ? null : ratingViewOf(row);
  },
});

/** A job without its request and answer. Refuses like `watch`. */
export const jobAdmitted = internalQuery({
  args: ofAdmittedKey,
  returns: requesterJob,
  handler: async (ctx, { keyId, jobId }) =>
    await requesterJobOf(ctx, await orderOf(ctx, await ctx.db.get("apiKeys", keyId), jobId)),
});

/** The receipt of an answered job, as JSON. Refuses like `watch`, and (not_found) a job without one. */
export const receiptAdmitted = internalQuery({
  args: ofAdmittedKey,
  returns: v.string(),
  handler: async (ctx, { keyId, jobId }) =>
    await receiptOf(ctx, await orderOf(ctx, await ctx.db.get("apiKeys", keyId), jobId)),
});

/** A job with its answer or error, if it has ended. Refuses like `watch`. */
export const resultAdmitted = internalQuery({
  args: ofAdmittedKey,
  returns: jobResult,
  handler: async (ctx, { keyId, jobId }) =>
    await jobResultOf(ctx, await orderOf(ctx, await ctx.db.get("apiKeys", keyId), jobId)),
});

const mostListed = 100;

/**
 * The receipts of a key's jobs, newest first, from before the job `after`; a page has those of up to `limit` jobs, or of fewer
 * if these are in many seals. Refuses:
 * unauthorized, revoked, not_found.
 */
export const receiptsAdmitted = internalQuery({
  args: { keyId: v.id("apiKeys"), limit: v.number(), after: v.optional(v.string()) },
  returns: v.object({
    receipts: v.array(v.string()),
    last: v.union(v.string(), v.null()),
    isDone: v.boolean(),
  }),
  handler: async (ctx, { keyId, limit, after }) => {
    const page = { limit: askedInteger(limit, "limit", 1, mostReceipts), after };
    const { orders, last, isDone } = await orderPage(ctx, await admittedKey(ctx, keyId), page);
    const { receipts, read } = await receiptsOf(ctx, orders);
    return read === orders.length
      ? { receipts, last, isDone }
      : { receipts, last: orders[read - 1]?.jobId ?? null, isDone: false };
  },
});

/**
 * A key's jobs, newest first, from before the job `after`. `last`: the id to go on from; null on an empty page. Refuses:
 * unauthorized, revoked, not_found.
 */
export const jobsAdmitted = internalQuery({
  args: { keyId: v.id("apiKeys"), limit: v.number(), after: v.optional(v.string()) },
  returns: v.object({
    jobs: v.array(requesterJob),
    last: v.union(v.string(), v.null()),
    isDone: v.boolean(),
  }),
  handler: async (ctx, { keyId, limit, after }) =>
    await requesterJobPage(ctx, await admittedKey(ctx, keyId), {
      limit: askedInteger(limit, "limit", 1, mostListed),
      after,
    }),
});

async function followText(ctx: MutationCtx, { organizationId, jobId }: Doc<"orders">): Promise<null> {
  await queue.follow(ctx, organizationId, jobId);
  return null;
}

/** Keeps the job's text streaming for two more minutes. Call it each minute. Refuses as `watch`. */
export const follow = mutation({
  args: ofApiKey,
  returns: v.null(),
  handler: async (ctx, { apiKey, jobId }) =>
    await followText(ctx, await orderOf(ctx, await clientsKey(ctx, apiKey), jobId)),
});

/** `follow` for the HTTP API. */
export const followAdmitted = internalMutation({
  args: ofAdmittedKey,
  returns: v.null(),
  handler: async (ctx, { keyId, jobId }) =>
    await followText(ctx, await orderOf(ctx, await ctx.db.get("apiKeys", keyId), jobId)),
});
