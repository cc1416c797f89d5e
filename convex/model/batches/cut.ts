import { ConvexError, type Infer, type ObjectType, v } from "convex/values";
import { indexesOf } from "../../../app/batches/jobs-of-line.ts";
import { tooFewForRequest } from "../../../app/credits/too-few.ts";
import { addCounts, addUse, exceededQuota, type KeyUse, noCount } from "../../../app/keys/quotas.ts";
import { cushion } from "../../../app/money/likely.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { openPart, openParts } from "../files/seals.ts";
import { availableOf, roomForBatch, spendOfBatch } from "../ledger/holds.ts";
import { highestMicro } from "../ledger/reservations.ts";
import { keyAccount } from "../ledger/transfer.ts";
import { identity, identityOf } from "../models/identity.ts";
import { queue } from "../queue.ts";
import { present, type Refusal } from "../refuse.ts";
import {
  checkNew,
  countOf,
  mostCountOf,
  mostFormula,
  prepare,
  type PreparedJob,
  wholeOrder,
} from "../requests/submit.ts";
import { budgetsAllow, isUsedUp, spendBudgets, stopsOf } from "../usage/budgetStops.ts";
import {
  batchEndpoint,
  batchForecast,
  type cutWait,
  lineFailure,
  lineMistake,
} from "../validators/batches.ts";
import { callForm, work } from "../validators/requests.ts";
import { scheduleCollection } from "./collect.ts";
import { concludeIfComplete, endBatch } from "./conclude.ts";
import { beginLine } from "./severalJobs.ts";
import { type BatchRequest, submitRequests } from "./submitRequests.ts";

/** The next step with a batch's file: a check of the whole file, or the next piece of its requests. */
export const cutStep = v.object({
  step: v.union(v.literal("check"), v.literal("cut")),
  endpoint: batchEndpoint,
  parts: v.array(openPart),
  from: v.object({ bytes: v.number(), lines: v.number() }),
  caller: identity,
});

/** Null if there is nothing left to cut, or nothing that can be read. Refuses (draining) as `openParts`. */
export async function nextCut(ctx: QueryCtx, batchId: Id<"batches">): Promise<Infer<typeof cutStep> | null> {
  const batch = await ctx.db.get("batches", batchId);
  if (batch?.open !== true || batch.isCut) return null;
  const { inputFileId, apiKeyId, endpoint, cut: from, status } = batch;
  const [file, key] = await Promise.all([ctx.db.get("files", inputFileId), ctx.db.get("apiKeys", apiKeyId)]);
  // Then nobody can say what its requests were. `resumeBatches` ends it.
  const parts = file === null ? null : await openParts(ctx, file.parts);
  if (parts === null) return null;
  const caller = await identityOf(ctx, present(key, "key of a batch"));
  const { bytes, lines } = from;
  const step = status === "validating" ? "check" : "cut";
  return { step, endpoint, parts, from: { bytes, lines }, caller };
}

/**
 * A checked file. `jobs`: what its requests are together. `model`: that of most requests; null if it is unknown. `isHigh`: whether most
 * have the high priority. `workHours`: as `batchOutlook` has it.
 */
export const checkedFile = {
  total: v.number(),
  jobs: v.number(),
  mistakes: v.array(lineMistake),
  model: v.union(v.string(), v.null()),
  isHigh: v.boolean(),
  forecast: v.union(batchForecast, v.null()),
  workHours: v.union(v.number(), v.null()),
};

/** Starts a batch whose file was checked, or ends it if there are mistakes. */
export async function startBatch(
  ctx: MutationCtx,
  batchId: Id<"batches">,
  { total, jobs, mistakes, model, isHigh, forecast, workHours }: ObjectType<typeof checkedFile>,
  now: number,
): Promise<void> {
  const batch = await ctx.db.get("batches", batchId);
  if (batch?.status !== "validating") return;
  if (mistakes.length > 0) {
    await endBatch(ctx, batch, "failed", { mistakes, isCut: true }, now);
    return;
  }
  const queueBatchId = await queue.batches.create(ctx, batch.organizationId, { externalId: batchId });
  await ctx.db.patch("batches", batchId, {
    status: "in_progress",
    total,
    startedAt: now,
    cutAt: now,
    queueBatchId,
    ...(jobs === total ? {} : { jobs }),
    ...(model === null ? {} : { model }),
    ...(isHigh ? { isHigh } : {}),
    ...(forecast === null ? {} : { forecast }),
    ...(workHours === null ? {} : { workHours }),
  });
}

/** A request of a file. `end`: the offset behind its line. */
export const cutRequest = v.object({
  line: v.number(),
  customId: v.string(),
  end: v.number(),
  asked: v.union(
    v.object({
      kind: v.literal("work"),
      model: v.string(),
      alias: v.optional(v.string()),
      /** Several choices, or the parts of many inputs, in the order of the answer. */
      works: v.array(work),
      callForm: v.optional(callForm),
      echo: v.optional(v.string()),
      isHigh: v.boolean(),
      base64: v.boolean(),
    }),
    v.object({ kind: v.literal("failure"), failure: lineFailure }),
  ),
});
export type CutRequest = Infer<typeof cutRequest>;

/** `later`: the rest of the piece has to wait, and a step is scheduled for it. `stale`: another step was faster. */
export const pieceOutcome = v.union(v.literal("added"), v.literal("later"), v.literal("stale"));

/** A key without credits gets some back when its jobs end. */
const creditsRetryMs = 30_000;
/** Jobs that end give back what they did not use, and an administrator may raise a quota. */
const quotaRetryMs = 5 * 60_000;
/** Jobs that a batch has in the queue at a time, so that the queue has room for everybody else's. */
const mostQueued = 4_000;
const queuedRetryMs = 10_000;

/**
 * Submits the next requests of a batch, with their reservations, in one transaction. Requests that are refused end. `from`: where
 * the piece begins; a piece that was submitted already is stale. `isLast`: nothing follows it.
 */
export async function addPiece(
  ctx: MutationCtx,
  batchId: Id<"batches">,
  piece: {
    readonly from: number;
    readonly requests: readonly CutRequest[];
    readonly isLast: boolean;
    /** The key's use, if it has quotas. */
    readonly use?: KeyUse;
  },
  now: number,
): Promise<Infer<typeof pieceOutcome>> {
  const batch = await ctx.db.get("batches", batchId);
  if (batch?.open !== true || batch.isCut || batch.cut.bytes !== piece.from) return "stale";
  const key = present(await ctx.db.get("apiKeys", batch.apiKeyId), "key of a batch");
  const why = whyDropped(batch, key, now);
  if (why !== null) {
    const ended = piece.requests.map((request) => ({ request, failure: { kind: "dropped" as const, why } }));
    await finishPiece(ctx, batch, { ended, placed: [], isLast: piece.isLast }, now);
    return "added";
  }

  const { cut, completed, failed, furtherJobs = 0 } = batch;
  if (cut.requests - completed - failed + furtherJobs >= mostQueued) {
    await cutLater(ctx, batch, { retryAfterMs: queuedRetryMs }, now);
    return "later";
  }

  const { fitting, ended, next } = await prepareAll(ctx, batch, key, piece, now);
  const toBatch = {
    requests: fitting,
    batchId: queueBatchOf(batch),
    hasRequirements: batch.requires !== undefined,
    begin: async (place: BatchRequest["batchLine"], jobIds: readonly string[]) =>
      await beginLine(ctx, place, jobIds),
  };
  const { placed, refused, later } = await submitRequests(ctx, key, toBatch, now);
  // The piece ends before the first request that has to wait.
  const waits = later?.from.request ?? next?.request ?? null;
  const done = {
    ended: [
      ...ended.filter(({ request }) => waits === null || request.line < waits.line),
      ...refused.map(({ request: { request }, refusal }) => ({ request, failure: refusedBy(refusal) })),
    ],
    placed,
    isLast: piece.isLast && waits === null,
  };
  await finishPiece(ctx, batch, done, now);
  if (waits === null) return "added";
  const wait = later === null ? next : ({ waitsFor: "queue", retryAfterMs: later.retryAfterMs } as const);
  if (wait !== null) await cutLater(ctx, batch, wait, now);
  return "later";
}

function refusedBy({ code, message }: Refusal): Infer<typeof lineFailure> {
  return { kind: "refused", code, message };
}

/** A job needs some time to be worth submitting. */
const leastTimeMs = 30_000;

/** Why no more requests of a batch become jobs; null if they do. */
function whyDropped(
  { status, expiresAt }: Doc<"batches">,
  key: Doc<"apiKeys">,
  now: number,
): "batch_cancelled" | "batch_expired" | null {
  const isEnded = key.revokedAt !== undefined || (key.expiresAt ?? Infinity) <= now;
  if (status === "cancelling" || isEnded) return "batch_cancelled";
  return now + leastTimeMs >= expiresAt ? "batch_expired" : null;
}

type Ended = { readonly request: CutRequest; readonly failure: Infer<typeof lineFailure> };
type Fitting = BatchRequest & { readonly request: CutRequest };

/** The first request that has to wait. */
type Next = CutWait & { readonly request: CutRequest };

/**
 * Prepares requests in their order while the key has credits for them, and its quotas allow it. The first one without credits waits
 * until other jobs of the key end, which gives credits back. It fails if the key has no other jobs. One beyond a quota waits for the
 * quota's next day or month, and fails if the batch ends before. While a budget stops the key, all of them wait.
 */
async function prepareAll(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  key: Doc<"apiKeys">,
  { requests, use: used }: { readonly requests: readonly CutRequest[]; readonly use?: KeyUse },
  now: number,
): Promise<{ fitting: Fitting[]; ended: Ended[]; next: Next | null }> {
  const [first] = requests;
  const stops = await stopsOf(ctx, key);
  if (first !== undefined && stops.some((budget) => isUsedUp(budget, now))) {
    return {
      fitting: [],
      ended: [],
      next: { request: first, waitsFor: "budget", retryAfterMs: quotaRetryMs },
    };
  }
  let spent = 0n;
  let use = used;
  const fitting: Fitting[] = [];
  const ended: Ended[] = [];
  for (const request of requests) {
    const { asked } = request;
    if (asked.kind === "failure") {
      ended.push({ request, failure: asked.failure });
      continue;
    }
    const prepared = await preparedOrRefused(ctx, key, asked, batch, now);
    if ("refusal" in prepared) {
      ended.push({ request, failure: refusedBy(prepared.refusal) });
      continue;
    }
    const needs = prepared.map(({ order }) => mostCountOf(order)).reduce(addCounts, noCount);
    const exceeded = use === undefined ? null : exceededQuota(key.quotas ?? {}, use, needs, now);
    if (exceeded !== null) {
      const { resetAt, message } = exceeded;
      if (resetAt !== null && resetAt < batch.expiresAt) {
        const retryAfterMs = Math.min(resetAt - now, quotaRetryMs);
        return { fitting, ended, next: { request, waitsFor: "quota", retryAfterMs } };
      }
      ended.push({ request, failure: { kind: "refused", code: "quota_exceeded", message } });
      continue;
    }
    const jobs = await jobsWithin(ctx, key, prepared, spent);
    if (jobs !== null) {
      const reserves = jobs.map(({ order }) => countOf(order)).reduce(addCounts, noCount);
      if (!(await budgetsAllow(ctx, stops, { spent, micro: reserves.micro }, now)))
        return { fitting, ended, next: { request, waitsFor: "budget", retryAfterMs: creditsRetryMs } };
      spent += reserves.micro;
      use = use === undefined ? undefined : addUse(use, reserves);
      const base64 = asked.base64 ? { base64: true as const } : {};
      const { line, customId } = request;
      const batchLine = { batchId: batch._id, line, customId, ...base64 };
      fitting.push({ request, jobs, indexes: indexesOf(asked.works), batchLine });
    } else if (fitting.length === 0 && !(await hasPending(ctx, key)) && !(await hasOpenJobs(ctx, key))) {
      const most = prepared.reduce((sum, { order }) => sum + highestMicro(order), 0n);
      const [job] = prepared;
      const formula = job === undefined || prepared.length > 1 ? "" : mostFormula(job);
      const message = tooFewForRequest(1, most, await availableOf(ctx, key._id), formula);
      ended.push({ request, failure: { kind: "refused", code: "quota_exceeded", message } });
    } else return { fitting, ended, next: { request, waitsFor: "credits", retryAfterMs: creditsRetryMs } };
  }
  return { fitting, ended, next: null };
}

/** All jobs of a request with what they reserve. Null: the key has too few credits for one of them. */
async function jobsWithin(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  prepared: readonly PreparedJob[],
  spent: bigint,
): Promise<PreparedJob[] | null> {
  const jobs: PreparedJob[] = [];
  let all = spent;
  for (const job of prepared) {
    const order = await orderWithin(ctx, key, job.order, all);
    if (order === null) return null;
    all += order.reservedMicro;
    jobs.push({ ...job, order });
  }
  return jobs;
}

/**
 * The order with its likely price reserved, or with its highest one if the key has few credits beyond those that are spent. Null: it
 * has too few.
 */
async function orderWithin(
  ctx: MutationCtx,
  { _id }: Doc<"apiKeys">,
  order: PreparedJob["order"],
  spent: bigint,
): Promise<PreparedJob["order"] | null> {
  const highest = highestMicro(order);
  const hasRoom = async (micro: bigint): Promise<boolean> =>
    (await roomForBatch(ctx, _id, spent + micro)) >= spent + micro;
  if (order.held !== undefined && (await hasRoom(cushion * highest))) return order;
  return (await hasRoom(highest)) ? wholeOrder(order) : null;
}

/** Whether the key has entries that its balance does not show yet. */
async function hasPending(ctx: QueryCtx, { _id }: Doc<"apiKeys">): Promise<boolean> {
  const entry = await ctx.db
    .query("ledgerPending")
    .withIndex("by_account", (q) => q.eq("account", keyAccount(_id)))
    .first();
  return entry !== null;
}

async function hasOpenJobs(ctx: QueryCtx, { _id, organizationId }: Doc<"apiKeys">): Promise<boolean> {
  const pages = await Promise.all(
    (["waiting", "ready", "prefetched", "running"] as const).map(
      async (status) =>
        await queue.list(ctx, organizationId, {
          requester: _id,
          status,
          paginationOpts: { numItems: 1, cursor: null },
        }),
    ),
  );
  return pages.some(({ page }) => page.length > 0);
}

async function preparedOrRefused(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  { isHigh, kind: _, base64: __, works, ...request }: Extract<CutRequest["asked"], { kind: "work" }>,
  { expiresAt, requires }: Doc<"batches">,
  now: number,
): Promise<readonly PreparedJob[] | { readonly refusal: Refusal }> {
  const priority = isHigh ? ("high" as const) : ("low" as const);
  const ofBatch = { expiresInMs: expiresAt - now, ...(requires === undefined ? {} : { requires }) };
  const asked = { ...request, ...ofBatch, stream: false, priority };
  try {
    const jobs: PreparedJob[] = [];
    for (const work of works) {
      const prepared = await prepare(ctx, key, { ...asked, work }, now);
      await checkNew(ctx, key, prepared, now);
      jobs.push(prepared);
    }
    return jobs;
  } catch (thrown) {
    if (thrown instanceof ConvexError) return { refusal: thrown.data as Refusal };
    throw thrown;
  }
}

function queueBatchOf({ queueBatchId }: Doc<"batches">): string {
  return present(queueBatchId ?? null, "queue's batch of a started batch");
}

/** Stores how far the file is cut, and the ends of requests that became no jobs. */
async function finishPiece(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  done: {
    readonly ended: readonly Ended[];
    readonly placed: readonly Fitting[];
    readonly isLast: boolean;
  },
  now: number,
): Promise<void> {
  const { _id: batchId, apiKeyId, organizationId } = batch;
  const { ended, placed, isLast } = done;
  for (const { request, failure } of ended) {
    const { line, customId } = request;
    await ctx.db.insert("batchEnds", { batchId, line, customId, failure });
  }
  const cut = [...ended, ...placed].reduce(
    ({ bytes, lines, requests }, { request }) => ({
      bytes: Math.max(bytes, request.end),
      lines: Math.max(lines, request.line),
      requests: requests + 1,
    }),
    batch.cut,
  );
  const jobs = placed.flatMap((each) => each.jobs);
  const micro = jobs.reduce((sum, { order }) => sum + order.reservedMicro, 0n);
  const furtherJobs = jobs.length - placed.length;
  if (micro > 0n) {
    await spendOfBatch(ctx, apiKeyId, micro);
    await spendBudgets(ctx, present(await ctx.db.get("apiKeys", apiKeyId), "key of a batch"), micro, now);
  }
  await ctx.db.patch("batches", batchId, {
    cut,
    cutAt: now,
    cutWaitsFor: undefined,
    ...(furtherJobs === 0 ? {} : { furtherJobs: (batch.furtherJobs ?? 0) + furtherJobs }),
    ...(isLast ? { isCut: true } : {}),
  });
  if (isLast) await queue.batches.seal(ctx, organizationId, queueBatchOf(batch), "requester");
  // Before the first job ends: many first ends at once would all schedule it, and conflict.
  if (ended.length + placed.length > 0) await scheduleCollection(ctx, batchId);
  if (isLast) await concludeIfComplete(ctx, batchId, now);
}

type CutWait = { readonly waitsFor?: Infer<typeof cutWait>; readonly retryAfterMs: number };

/** Goes on with the file later, but not long after the batch's end. */
async function cutLater(
  ctx: MutationCtx,
  { _id, expiresAt }: Doc<"batches">,
  { waitsFor, retryAfterMs }: CutWait,
  now: number,
): Promise<void> {
  const at = Math.min(now + retryAfterMs, Math.max(now, expiresAt));
  await ctx.db.patch("batches", _id, { cutAt: at, cutWaitsFor: waitsFor });
  await ctx.scheduler.runAt(at, internal.batchSteps.cut, { batchId: _id });
}
