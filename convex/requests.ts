import { priority } from "@gleaner/queue/validators";
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel.js";
import type { QueryCtx } from "./_generated/server.js";
import { internalMutation, internalQuery, mutation, query } from "./_generated/server.js";
import { authenticateApiKey } from "./model/authenticate.ts";
import { catalogueOf, modelView } from "./model/models/catalog.ts";
import { ownedOrder } from "./model/orders/orderOf.ts";
import { canceled, cancelOrder } from "./model/orders/orders.ts";
import { queue } from "./model/queue.ts";
import { admitCall as admit } from "./model/rates/admitCall.ts";
import { refuse } from "./model/refuse.ts";
import { submit as submitJob } from "./model/requests/submit.ts";
import { watch as watchJob, watchPosition, watchView } from "./model/requests/watch.ts";
import { work } from "./model/validators.ts";

/** The order of a job of the calling key: keys do not see each other's jobs, not even within an organization. */
async function orderOfKey(ctx: QueryCtx, key: Doc<"apiKeys">, jobId: string): Promise<Doc<"orders">> {
  const order = await ownedOrder(ctx, key.organizationId, jobId);
  return order.apiKeyId === key._id ? order : refuse("not_found", "There is no such job.");
}

/** Counts one call of the HTTP API. Refuses: unauthorized, revoked, rate_limited. */
export const admitCall = internalMutation({
  args: { apiKey: v.string() },
  returns: v.null(),
  handler: async (ctx, { apiKey }) => {
    await admit(ctx, (await authenticateApiKey(ctx, apiKey))._id);
    return null;
  },
});

/**
 * Submits a job. Internal, as the HTTP API counts calls: nobody may go past it.
 * `stream`: the text is kept in chunks for `watch` as it comes.
 * Refuses: unauthorized, revoked, model_not_found, invalid, too_large, context_length_exceeded, quota_exceeded,
 * conflict (the idempotency key belongs to another request), queue_full, draining.
 */
export const submit = internalMutation({
  args: {
    apiKey: v.string(),
    model: v.string(),
    work,
    stream: v.boolean(),
    priority: v.optional(priority),
    idempotencyKey: v.optional(v.string()),
    /** Whether it may be handed to a device that waits: it may lose its races then, and is to be called again without. */
    handOver: v.optional(v.boolean()),
  },
  returns: v.object({ kind: v.literal("submitted"), jobId: v.string() }),
  handler: async (ctx, { apiKey, ...submission }) => {
    const key = await authenticateApiKey(ctx, apiKey);
    return { kind: "submitted" as const, jobId: await submitJob(ctx, key, submission, Date.now()) };
  },
});

/** A job's state, and its text after a position. */
export const watch = query({
  args: { apiKey: v.string(), jobId: v.string(), after: v.optional(watchPosition) },
  returns: watchView,
  handler: async (ctx, { apiKey, jobId, after }) => {
    const key = await authenticateApiKey(ctx, apiKey);
    return await watchJob(ctx, await orderOfKey(ctx, key, jobId), after);
  },
});

/** Says that a job's text is read as it comes: it is kept in chunks for two minutes more. Say it again each minute. */
export const follow = mutation({
  args: { apiKey: v.string(), jobId: v.string() },
  returns: v.null(),
  handler: async (ctx, { apiKey, jobId }) => {
    const key = await authenticateApiKey(ctx, apiKey);
    const order = await orderOfKey(ctx, key, jobId);
    await queue.follow(ctx, order.organizationId, order.jobId);
    return null;
  },
});

/** Cancels a job that is not final; its reservation goes back. */
export const cancel = mutation({
  args: { apiKey: v.string(), jobId: v.string() },
  returns: canceled,
  handler: async (ctx, { apiKey, jobId }) => {
    const key = await authenticateApiKey(ctx, apiKey);
    return await cancelOrder(ctx, await orderOfKey(ctx, key, jobId));
  },
});

/** The models that the key may ask for. */
export const models = internalQuery({
  args: { apiKey: v.string() },
  returns: v.array(modelView),
  handler: async (ctx, { apiKey }) => {
    const key = await authenticateApiKey(ctx, apiKey);
    const catalogue = await catalogueOf(ctx, key.organizationId);
    return catalogue.map(({ modelId, contextTokens, createdAt, sha256 }) => ({
      modelId,
      contextTokens,
      createdAt,
      sha256,
    }));
  },
});
