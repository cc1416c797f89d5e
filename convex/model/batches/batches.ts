import { type Infer, type ObjectType, v } from "convex/values";
import { batchLimits } from "../../../app/batches/limits.ts";
import { classNamed, type DataClass, dataClassLimits } from "../../../app/keys/data-classes.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { checkRoom, inputFile } from "../files/files.ts";
import { isDestroyed, refuseDestroyed } from "../files/seals.ts";
import { dataClassesOf } from "../keys/dataClasses.ts";
import { checkedNeeds } from "../keys/keyRights.ts";
import { queue } from "../queue.ts";
import { boundedInteger, present, refuse, refuseUntil } from "../refuse.ts";
import { idempotencyHash } from "../requests/idempotency.ts";
import { checkNeeds, needsOf } from "../requests/needs.ts";
import { usage } from "../validators/answers.ts";
import { batchEndpoint, batchForecast, batchStatus, lineMistake, wrongLine } from "../validators/batches.ts";
import { deviceNeeds } from "../validators/keys.ts";
import { concludeIfComplete } from "./conclude.ts";
import { batchWait, type BatchWaits, waitsOfBatches } from "./waits.ts";

/** A batch as its requester sees it. Times are ms epoch. `completed`, `failed`: requests whose ends are in the files. */
export const batchView = v.object({
  batchId: v.id("batches"),
  inputFileId: v.id("files"),
  outputFileId: v.union(v.id("files"), v.null()),
  errorFileId: v.union(v.id("files"), v.null()),
  endpoint: batchEndpoint,
  window: v.string(),
  /** As JSON. */
  metadata: v.union(v.string(), v.null()),
  /** Requirements of its jobs on devices, in addition to those of the key. */
  requires: deviceNeeds,
  status: batchStatus,
  createdAt: v.number(),
  expiresAt: v.number(),
  startedAt: v.union(v.number(), v.null()),
  cancelingAt: v.union(v.number(), v.null()),
  endedAt: v.union(v.number(), v.null()),
  total: v.number(),
  completed: v.number(),
  failed: v.number(),
  usage,
  priceMicro: v.int64(),
  mistakes: v.array(lineMistake),
  /** Lines whose answers checks found wrong, at most 100, and how many they are. */
  wrongLines: v.array(wrongLine),
  wrongCount: v.number(),
  /** The forecast of a running batch. Null: none could be made. */
  forecast: v.union(batchForecast, v.null()),
});
export type BatchView = Infer<typeof batchView>;

export function batchViewOf(batch: Doc<"batches">): BatchView {
  const { _id: batchId, inputFileId, endpoint, window, metadata, status, createdAt, expiresAt } = batch;
  const { total, completed, failed, usage, priceMicro, mistakes, requires = {} } = batch;
  return {
    batchId,
    inputFileId,
    outputFileId: batch.outputFileId ?? null,
    errorFileId: batch.errorFileId ?? null,
    endpoint,
    window,
    metadata,
    requires,
    status,
    createdAt,
    expiresAt,
    startedAt: batch.startedAt ?? null,
    cancelingAt: batch.cancelingAt ?? null,
    endedAt: batch.endedAt ?? null,
    total,
    completed,
    failed,
    usage,
    priceMicro,
    mistakes,
    wrongLines: batch.wrongLines ?? [],
    wrongCount: batch.wrongCount ?? 0,
    // Nobody renews the forecast of a batch that is being canceled.
    forecast: (batch.status === "in_progress" ? batch.forecast : undefined) ?? null,
  };
}

/** A batch as its requester reads it. `waitsFor`: why no device has one of its jobs; null if one does, or if it does not run. */
export const requesterBatch = v.object({
  ...batchView.fields,
  waitsFor: v.union(...batchWait.members.map(({ fields }) => fields.kind), v.null()),
});
export type RequesterBatch = Infer<typeof requesterBatch>;

export async function requesterBatchOf(ctx: QueryCtx, batch: Doc<"batches">): Promise<RequesterBatch> {
  return withWait(batch, await waitsOfBatches(ctx, batch.organizationId, [batch]));
}

function withWait(batch: Doc<"batches">, waits: BatchWaits): RequesterBatch {
  return { ...batchViewOf(batch), waitsFor: waits.get(batch._id)?.kind ?? null };
}

/** Arguments of a new batch. */
export const newBatch = {
  /** The id of the file with its requests. */
  fileId: v.string(),
  endpoint: batchEndpoint,
  window: v.string(),
  windowMs: v.number(),
  /** As JSON. */
  metadata: v.union(v.string(), v.null()),
  outputKeptMs: v.optional(v.number()),
  idempotencyKey: v.optional(v.string()),
  /** Requirements of its jobs on devices, in addition to those of the key. */
  requires: v.optional(deviceNeeds),
  /** Whether its requester sends the call again, since it got no answer. */
  isRetry: v.optional(v.boolean()),
};
type NewBatch = ObjectType<typeof newBatch>;

/** Batches of a key that have not ended. */
const mostOpen = 20;
const mostOpenRetryMs = 60_000;
const dayMs = 24 * 3_600_000;

/**
 * Creates a batch, which begins with a check of its file. A repeated idempotency key gives the same batch, and so does a retry without
 * one: a second batch would do and cost everything twice. Refuses: not_found
 * (the file), invalid, conflict (the idempotency key belongs to another batch), queue_full (too many batches), quota_exceeded (no
 * room for its files), requirements_not_allowed, requirements_unmet.
 */
export async function createBatch(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  asked: NewBatch,
  now: number,
): Promise<BatchView> {
  const { endpoint, window, windowMs, metadata, outputKeptMs, idempotencyKey, requires } = asked;
  boundedInteger(windowMs, "completion_window", batchLimits.leastWindowMs, batchLimits.mostWindowMs);
  const classes = await dataClassesOf(ctx, key.organizationId);
  // A repeated call must be allowed, too.
  const asks = requires === undefined ? null : needsOf(key, requires, classes);
  const hash = idempotencyKey === undefined ? undefined : await idempotencyHash(key, idempotencyKey);
  const earlier = hash === undefined ? null : await byIdempotency(ctx, hash);
  if (earlier !== null) {
    const isSame =
      earlier.inputFileId === asked.fileId &&
      earlier.endpoint === endpoint &&
      earlier.window === window &&
      requirementsText(earlier.requires) === requirementsText(requires);
    return isSame
      ? batchViewOf(earlier)
      : refuse("conflict", "This idempotency key was used before, for another batch.");
  }
  const retried =
    asked.isRetry === true && hash === undefined ? await firstTryOf(ctx, key, asked, now) : null;
  if (retried !== null) return batchViewOf(retried);
  if (asks !== null) await checkNeeds(ctx, key.organizationId, asks.needs);
  const kept = keptHoursOf(classes, (asks ?? key).dataClass);
  const file = await inputFile(ctx, key, asked.fileId);
  if (await isDestroyed(ctx, file.parts)) refuseDestroyed();
  if ((await openBatchesOf(ctx, key._id)).length >= mostOpen) {
    const why = `This API key has ${String(mostOpen)} batches that have not ended, which is the most.`;
    refuseUntil("queue_full", why, mostOpenRetryMs);
  }
  await checkRoom(ctx, key, 0);
  const expiresAt = now + windowMs;
  const batchId = await ctx.db.insert("batches", {
    organizationId: key.organizationId,
    apiKeyId: key._id,
    inputFileId: file._id,
    endpoint,
    window,
    metadata,
    ...(outputKeptMs === undefined ? {} : { outputKeptMs }),
    ...(requires === undefined ? {} : { requires }),
    ...(kept === null ? {} : { keptHours: kept }),
    ...(hash === undefined ? {} : { idempotencyHash: hash }),
    status: "validating",
    open: true,
    createdAt: now,
    expiresAt,
    total: 0,
    cut: { bytes: 0, lines: 0, requests: 0 },
    isCut: false,
    cutAt: now,
    collectedAt: now,
    completed: 0,
    failed: 0,
    expired: 0,
    usage: { promptTokens: 0, completionTokens: 0 },
    priceMicro: 0n,
    mistakes: [],
  });
  await ctx.db.insert("batchCollections", { batchId, scheduled: false });
  await ctx.db.patch("files", file._id, {
    expiresAt: Math.max(file.expiresAt, expiresAt + dayMs),
    ...(kept === null ? {} : { keptHours: Math.min(file.keptHours ?? Infinity, kept) }),
  });
  await ctx.scheduler.runAfter(0, internal.batchSteps.cut, { batchId });
  return batchViewOf(await batchById(ctx, batchId));
}

/** Null: the batch has no class, so that it keeps its files as long as it asked for. */
function keptHoursOf(classes: readonly DataClass[], dataClass: string | undefined): number | null {
  if (dataClass === undefined) return null;
  return classNamed(classes, dataClass)?.keptHours ?? dataClassLimits.keptHours.usual;
}

/** Equal for equal requirements, in whichever order a call names groups and tags. */
function requirementsText(requires: NewBatch["requires"] = {}): string {
  return JSON.stringify(checkedNeeds(requires));
}

/** OpenAI's clients wait ten minutes for an answer, and then pause for some seconds before they ask again. */
const retriedWithinMs = 15 * 60_000;

/**
 * The batch that an equal call of the key created shortly before and that has not ended. Null: there is no such batch. The SDKs also
 * repeat a call that was refused. So after the end of an equal batch, the requester may want a second one.
 */
async function firstTryOf(
  ctx: QueryCtx,
  { _id }: Doc<"apiKeys">,
  { fileId, endpoint, window, metadata, outputKeptMs, requires }: NewBatch,
  now: number,
): Promise<Doc<"batches"> | null> {
  const found = (await openBatchesOf(ctx, _id)).findLast(
    (batch) =>
      batch.createdAt > now - retriedWithinMs &&
      batch.cancelingAt === undefined &&
      batch.idempotencyHash === undefined &&
      batch.inputFileId === fileId &&
      batch.endpoint === endpoint &&
      batch.window === window &&
      batch.metadata === metadata &&
      batch.outputKeptMs === outputKeptMs &&
      requirementsText(batch.requires) === requirementsText(requires),
  );
  return found ?? null;
}

/** The key's batches that have not ended, at most `mostOpen`. */
async function openBatchesOf(ctx: QueryCtx, apiKeyId: Id<"apiKeys">): Promise<Doc<"batches">[]> {
  return await ctx.db
    .query("batches")
    .withIndex("by_open", (q) => q.eq("open", true).eq("apiKeyId", apiKeyId))
    .take(mostOpen);
}

/** Cancels the batches of a key that began before a moment. */
export async function endBatchesOf(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  before: number,
  now: number,
): Promise<void> {
  for (const batch of await openBatchesOf(ctx, apiKeyId))
    if (batch._creationTime <= before) await cancelBatch(ctx, batch, now);
}

async function byIdempotency(ctx: QueryCtx, hash: string): Promise<Doc<"batches"> | null> {
  return await ctx.db
    .query("batches")
    .withIndex("by_idempotency", (q) => q.eq("idempotencyHash", hash))
    .first();
}

async function batchById(ctx: QueryCtx, batchId: Id<"batches">): Promise<Doc<"batches">> {
  return present(await ctx.db.get("batches", batchId), "batch");
}

/** The key's batch with this id. Refuses: not_found, also for another key's. @param param the field of the call that names it. */
export async function batchOfKey(
  ctx: QueryCtx,
  key: Doc<"apiKeys">,
  id: string,
  param?: string,
): Promise<Doc<"batches">> {
  const batchId = ctx.db.normalizeId("batches", id);
  const batch = batchId === null ? null : await ctx.db.get("batches", batchId);
  return batch?.apiKeyId === key._id ? batch : refuse("not_found", "There is no such batch.", param);
}

/** The key's batches, newest first, from before the batch `after`. Refuses: not_found (`after`). */
export async function batchPage(
  ctx: QueryCtx,
  key: Doc<"apiKeys">,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ batches: RequesterBatch[]; isDone: boolean }> {
  const from = after === undefined ? null : await batchOfKey(ctx, key, after, "after");
  const batches = await ctx.db
    .query("batches")
    .withIndex("by_key", (q) => {
      const ofKey = q.eq("apiKeyId", key._id);
      return from === null ? ofKey : ofKey.lt("_creationTime", from._creationTime);
    })
    .order("desc")
    .take(limit + 1);
  const shown = batches.slice(0, limit);
  const waits = await waitsOfBatches(ctx, key.organizationId, shown);
  return { batches: shown.map((batch) => withWait(batch, waits)), isDone: batches.length <= limit };
}

/**
 * Cancels a batch. Answers that are there stay; the other requests end as canceled. Returns whether this call did: a repeated one
 * changes nothing. Refuses: invalid, if it has ended otherwise.
 */
export async function cancelBatch(ctx: MutationCtx, batch: Doc<"batches">, now: number): Promise<boolean> {
  const { _id, organizationId, queueBatchId, status } = batch;
  if (status === "cancelling" || status === "cancelled") return false;
  if (batch.open !== true) refuse("invalid", `The batch has ended already: it is ${status}.`);
  await ctx.db.patch("batches", _id, { status: "cancelling", cancelingAt: now, cutAt: now });
  if (queueBatchId !== undefined) await queue.batches.cancel(ctx, organizationId, queueBatchId, "requester");
  // Its requests are not known before the check of the file, so that none has to end.
  if (status === "validating") await ctx.db.patch("batches", _id, { isCut: true });
  else if (!batch.isCut) await ctx.scheduler.runAfter(0, internal.batchSteps.cut, { batchId: _id });
  await concludeIfComplete(ctx, _id, now);
  return true;
}

/** Cancels a batch in the name of its key, which the audit trail notes. Refuses as `cancelBatch`. */
export async function cancelByKey(ctx: MutationCtx, batch: Doc<"batches">, at: number): Promise<BatchView> {
  const { _id: subject, organizationId, apiKeyId: keyId } = batch;
  if (await cancelBatch(ctx, batch, at)) {
    await record(ctx, { organizationId, at, actor: { keyId }, action: "batch.canceled", subject });
  }
  return batchViewOf(await batchById(ctx, subject));
}
