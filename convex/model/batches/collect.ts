import { type Infer, v } from "convex/values";
import { fileTimes } from "../../../app/batches/limits.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { isDestroyed, type OpenPart, openPart, openParts } from "../files/seals.ts";
import { findModel } from "../models/catalog.ts";
import { orderOf } from "../orders/orders.ts";
import { present } from "../refuse.ts";
import { echoOfJob } from "../requests/echo.ts";
import { watch, watchView } from "../requests/watch.ts";
import { usage } from "../validators/answers.ts";
import type { batchLine } from "../validators/batches.ts";
import { batchEndpoint, lineFailure } from "../validators/batches.ts";
import { filePart } from "../validators/files.ts";
import { concludeIfComplete } from "./conclude.ts";
import { endPart } from "./severalJobs.ts";

// The ends of a batch's requests become lines of its files. The end of a job only notes that it ended, so that two ends never
// conflict. Now and then an action writes the lines of all noted ends into the files, and one transaction deletes the notes.

/** How a request ended. Without a failure it has an answer. */
export type LineEnd = { readonly failure?: Infer<typeof lineFailure> };

/**
 * Notes the end of a batch's job, in the transaction that ends it. The note has the failure, since an admin may have the job done
 * again before it is collected.
 */
export async function noteLineEnd(
  ctx: MutationCtx,
  { batchId, line, customId, several }: Infer<typeof batchLine>,
  end: LineEnd & { readonly jobId: string },
): Promise<void> {
  const ofLine = several === undefined ? end : await endPart(ctx, several, end);
  if (ofLine === null) return;
  const first = "jobIds" in ofLine ? { jobId: ofLine.jobIds[0] ?? end.jobId } : {};
  await ctx.db.insert("batchEnds", { batchId, line, customId, ...first, ...ofLine });
  await scheduleCollection(ctx, batchId);
}

/** Ends that come in this time are collected together. */
const collectAfterMs = 3_000;
/**
 * A collection that finds nothing looks again after each of these times, and then ends. Each end of a job reads whether a
 * collection is scheduled, so that must not change while jobs end one after the other: they would conflict.
 */
const emptyLooksMs = [3_000, 6_000, 15_000, 30_000] as const;

/** Schedules a collection unless one is scheduled already. */
export async function scheduleCollection(ctx: MutationCtx, batchId: Id<"batches">): Promise<void> {
  const collection = await collectionOf(ctx, batchId);
  if (collection.scheduled) return;
  await ctx.db.patch("batchCollections", collection._id, { scheduled: true });
  await ctx.scheduler.runAfter(collectAfterMs, internal.batchSteps.collect, { batchId });
}

async function collectionOf(ctx: QueryCtx, batchId: Id<"batches">): Promise<Doc<"batchCollections">> {
  const row = await ctx.db
    .query("batchCollections")
    .withIndex("by_batch", (q) => q.eq("batchId", batchId))
    .unique();
  return present(row, "collection of a batch");
}

/** A job of a request that has ended. `sha256`: of the model that did it. */
export const endedJob = v.object({
  createdAt: v.number(),
  modelId: v.string(),
  sha256: v.string(),
  base64: v.boolean(),
  view: watchView,
  /** The fields of its request that a response repeats, as JSON. */
  echo: v.union(v.string(), v.null()),
});
export type EndedJob = Infer<typeof endedJob>;

/**
 * A request that has ended, with its failure or its answered job. Several jobs are read one by one, as their answers would be too
 * much for a query: `jobIds`, in the order of the answer; null if it has one job.
 */
export const endedLine = v.object({
  endId: v.id("batchEnds"),
  line: v.number(),
  customId: v.string(),
  jobId: v.union(v.string(), v.null()),
  failure: v.union(lineFailure, v.null()),
  jobIds: v.union(v.array(v.string()), v.null()),
  job: v.union(endedJob, v.null()),
});
export type EndedLine = Infer<typeof endedLine>;

/** The next ends to collect. `tails`: the last part of each file if it has room for more. */
export const collectStep = v.object({
  keyId: v.id("apiKeys"),
  endpoint: batchEndpoint,
  /** Its requester canceled it, or the key was revoked. */
  isCanceled: v.boolean(),
  lines: v.array(endedLine),
  tails: v.object({ output: v.union(openPart, v.null()), error: v.union(openPart, v.null()) }),
});

/**
 * Convex lets a query read 16 MB. An answer and a request have up to half a megabyte each, and a character up to three bytes in UTF-8.
 */
const linesAtOnce = 100;
export const charsAtOnce = 4 * 1024 * 1024;
/** A part grows until it has this many bytes. Each collection writes the last one anew. */
const tailBytes = 512 * 1024;

/** Null if the batch is not there. */
export async function nextCollection(
  ctx: QueryCtx,
  batchId: Id<"batches">,
): Promise<Infer<typeof collectStep> | null> {
  const batch = await ctx.db.get("batches", batchId);
  if (batch === null) return null;
  const ends = await ctx.db
    .query("batchEnds")
    .withIndex("by_batch", (q) => q.eq("batchId", batchId))
    .take(linesAtOnce);
  const hashes = new Map<string, Promise<string>>();
  const sha256Of = async (modelId: string): Promise<string> => {
    const found = hashes.get(modelId) ?? hashOf(ctx, batch, modelId);
    hashes.set(modelId, found);
    return await found;
  };
  const lines: EndedLine[] = [];
  let chars = 0;
  // One after the other, so that the query stops reading once it has enough.
  for (const { _id: endId, line, customId, jobId = null, jobIds = null, failure = null } of ends) {
    const isRead = jobId !== null && jobIds === null && failure === null;
    const answered = isRead ? await answeredJob(ctx, jobId, sha256Of) : null;
    lines.push({ endId, line, customId, jobId, failure, jobIds, job: answered?.job ?? null });
    chars += answered?.chars ?? 0;
    if (chars > charsAtOnce) break;
  }
  const [output, error] = await Promise.all([
    openTailOf(ctx, batch.outputFileId),
    openTailOf(ctx, batch.errorFileId),
  ]);
  const key = await ctx.db.get("apiKeys", batch.apiKeyId);
  const isCanceled = batch.cancelingAt !== undefined || key?.revokedAt !== undefined;
  const { apiKeyId: keyId, endpoint } = batch;
  return { keyId, endpoint, isCanceled, lines, tails: { output, error } };
}

async function hashOf(
  ctx: QueryCtx,
  { organizationId }: Pick<Doc<"batches">, "organizationId">,
  modelId: string,
): Promise<string> {
  return present(await findModel(ctx, organizationId, modelId), "model of an order").sha256;
}

/** One of several jobs of a request that has ended. `chars`: the length of what was read for it. */
export const partOfLine = v.object({ job: endedJob, chars: v.number() });

export async function partOf(ctx: QueryCtx, jobId: string): Promise<Infer<typeof partOfLine>> {
  const order = present(await orderOf(ctx, jobId), "order of a job");
  return await answeredJob(ctx, jobId, async (modelId) => await hashOf(ctx, order, modelId));
}

/** `chars`: the length of what was read for it. */
async function answeredJob(
  ctx: QueryCtx,
  jobId: string,
  sha256Of: (modelId: string) => Promise<string>,
): Promise<Infer<typeof partOfLine>> {
  const order = present(await orderOf(ctx, jobId), "order of a job");
  const { _creationTime: createdAt, modelId, batchLine } = order;
  const [view, sha256, echo] = await Promise.all([
    watch(ctx, order, undefined),
    sha256Of(modelId),
    echoOfJob(ctx, order),
  ]);
  const { json = null, payloadChars = 0 } = echo ?? {};
  return {
    job: { createdAt, modelId, sha256, base64: batchLine?.base64 === true, view, echo: json },
    chars: JSON.stringify(view.result).length + payloadChars,
  };
}

async function openTailOf(ctx: QueryCtx, fileId: Id<"files"> | undefined): Promise<OpenPart | null> {
  const tail = await tailOf(ctx, fileId);
  const [opened = null] = tail === null ? [] : ((await openParts(ctx, [tail])) ?? []);
  return opened;
}

/** The last part of a file if it has room for more lines, and if it can be read. */
async function tailOf(
  ctx: QueryCtx,
  fileId: Id<"files"> | undefined,
): Promise<Infer<typeof filePart> | null> {
  const file = fileId === undefined ? null : await ctx.db.get("files", fileId);
  const last = file?.parts.at(-1);
  const hasRoom = last !== undefined && last.bytes < tailBytes;
  return hasRoom && !(await isDestroyed(ctx, [last])) ? last : null;
}

/**
 * Stored lines of one file. `tail`: its last part, as the step saw it. `replaces`: whether the lines begin with the content of
 * that part.
 */
export const storedLines = v.object({
  parts: v.array(filePart),
  tail: v.union(v.id("_storage"), v.null()),
  replaces: v.boolean(),
});

export const collectedLines = {
  endIds: v.array(v.id("batchEnds")),
  output: v.union(storedLines, v.null()),
  error: v.union(storedLines, v.null()),
  completed: v.number(),
  failed: v.number(),
  expired: v.number(),
  usage,
  priceMicro: v.int64(),
};

type Collected = { readonly [Name in keyof typeof collectedLines]: Infer<(typeof collectedLines)[Name]> };

/**
 * Adds stored lines to the files of a batch, and counts them. Each end is counted once.
 * @returns false if another collection was faster: then nothing is added, and the caller deletes its parts.
 */
export async function addLines(
  ctx: MutationCtx,
  batchId: Id<"batches">,
  collected: Collected,
  now: number,
): Promise<boolean> {
  const batch = present(await ctx.db.get("batches", batchId), "batch");
  const ends = await Promise.all(collected.endIds.map((id) => ctx.db.get("batchEnds", id)));
  const tails = await Promise.all([tailOf(ctx, batch.outputFileId), tailOf(ctx, batch.errorFileId)]);
  const isNow = [collected.output, collected.error].every(
    (lines, at) => lines === null || lines.tail === (tails[at]?.storageId ?? null),
  );
  if (ends.includes(null) || !isNow) return false;
  for (const endId of collected.endIds) await ctx.db.delete("batchEnds", endId);
  const furtherJobs = ends.reduce((sum, end) => sum + (end?.jobIds?.length ?? 1) - 1, 0);
  const { usage, priceMicro, completed, failed, expired } = batch;
  await ctx.db.patch("batches", batchId, {
    completed: completed + collected.completed,
    failed: failed + collected.failed,
    expired: expired + collected.expired,
    usage: addUsage(usage, collected.usage),
    priceMicro: priceMicro + collected.priceMicro,
    collectedAt: now,
    ...(furtherJobs === 0 ? {} : { furtherJobs: (batch.furtherJobs ?? 0) - furtherJobs }),
    ...(await grow(ctx, batch, "output", collected.output, now)),
    ...(await grow(ctx, batch, "error", collected.error, now)),
  });
  await concludeIfComplete(ctx, batchId, now);
  return true;
}

export function addUsage(
  a: Infer<typeof usage>,
  { promptTokens, completionTokens, cachedPromptTokens = 0 }: Infer<typeof usage>,
): Infer<typeof usage> {
  return {
    promptTokens: a.promptTokens + promptTokens,
    completionTokens: a.completionTokens + completionTokens,
    cachedPromptTokens: (a.cachedPromptTokens ?? 0) + cachedPromptTokens,
  };
}

/** Adds lines to a file of a batch. Returns the fields of the batch that change with its first lines. */
async function grow(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  of: "output" | "error",
  lines: Infer<typeof storedLines> | null,
  now: number,
): Promise<{ outputFileId?: Id<"files">; errorFileId?: Id<"files"> }> {
  if (lines === null) return {};
  const { tail, replaces } = lines;
  const fileId = of === "output" ? batch.outputFileId : batch.errorFileId;
  if (fileId === undefined) {
    const { organizationId, apiKeyId, _id } = batch;
    const created = await ctx.db.insert("files", {
      organizationId,
      apiKeyId,
      name: `batch_${_id}_${of}.jsonl`,
      purpose: "batch_output",
      bytes: lines.parts.reduce((sum, { bytes }) => sum + bytes, 0),
      parts: lines.parts,
      createdAt: now,
      expiresAt: await endOfFile(ctx, batch, now),
    });
    return of === "output" ? { outputFileId: created } : { errorFileId: created };
  }
  const file = await ctx.db.get("files", fileId);
  // Its requester may have deleted it, and wants no more of it.
  if (file === null) {
    for (const { storageId } of lines.parts) await ctx.storage.delete(storageId);
    return {};
  }
  const kept = replaces ? file.parts.slice(0, -1) : file.parts;
  const parts = [...kept, ...lines.parts];
  await ctx.db.patch("files", fileId, { parts, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) });
  // Somebody may be reading it.
  if (replaces && tail !== null) {
    await ctx.scheduler.runAfter(replacedKeptMs, internal.files.deletePart, { storageId: tail });
  }
  return {};
}

/** An action that reads a file has ended by then. */
const replacedKeptMs = 10 * 60_000;

/** When a new file of a batch is deleted. Nobody can read the files of a revoked key. */
async function endOfFile(
  ctx: QueryCtx,
  { apiKeyId, expiresAt, outputKeptMs }: Doc<"batches">,
  now: number,
): Promise<number> {
  const key = await ctx.db.get("apiKeys", apiKeyId);
  if (key?.revokedAt !== undefined) return now;
  return outputKeptMs === undefined
    ? expiresAt + fileTimes.mostSeconds * 1_000
    : Math.max(expiresAt, now + outputKeptMs);
}

/**
 * Lets a collection that found nothing more look again later, or ends it after several empty looks or with its batch. Returns
 * false if something came meanwhile.
 * @param emptyLooks how often it has found nothing since it wrote lines
 */
export async function restCollection(
  ctx: MutationCtx,
  batchId: Id<"batches">,
  emptyLooks: number,
): Promise<boolean> {
  const next = await ctx.db
    .query("batchEnds")
    .withIndex("by_batch", (q) => q.eq("batchId", batchId))
    .first();
  if (next !== null) return false;
  const batch = await ctx.db.get("batches", batchId);
  const afterMs = batch?.open === true ? emptyLooksMs[emptyLooks - 1] : undefined;
  if (afterMs !== undefined) {
    await ctx.scheduler.runAfter(afterMs, internal.batchSteps.collect, { batchId, emptyLooks });
    return true;
  }
  const { _id, scheduled } = await collectionOf(ctx, batchId);
  if (scheduled) await ctx.db.patch("batchCollections", _id, { scheduled: false });
  return true;
}
