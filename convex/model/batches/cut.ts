import { ConvexError, type Infer, v } from "convex/values";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { identity, identityOf } from "../keys/identity.ts";
import { projectedBalance } from "../ledger/balance.ts";
import { keyAccount } from "../ledger/transfer.ts";
import { queue } from "../queue.ts";
import { present, type Refusal } from "../refuse.ts";
import { type BatchJob, checkNew, prepare, type PreparedJob, submitToBatch } from "../requests/submit.ts";
import { batchEndpoint, filePart, lineFailure, type lineMistake, work } from "../validators.ts";
import { scheduleCollection } from "./collect.ts";
import { concludeIfComplete } from "./conclude.ts";

/** The next step with a batch's file: a check of the whole file, or the next piece of its requests. */
export const cutStep = v.object({
  step: v.union(v.literal("check"), v.literal("cut")),
  endpoint: batchEndpoint,
  parts: v.array(filePart),
  from: v.object({ bytes: v.number(), lines: v.number() }),
  caller: identity,
});

/** Null if there is nothing left to cut. */
export async function nextCut(ctx: QueryCtx, batchId: Id<"batches">): Promise<Infer<typeof cutStep> | null> {
  const batch = await ctx.db.get("batches", batchId);
  if (batch?.open !== true || batch.isCut) return null;
  const { inputFileId, apiKeyId, endpoint, cut: from, status } = batch;
  const [file, key] = await Promise.all([ctx.db.get("files", inputFileId), ctx.db.get("apiKeys", apiKeyId)]);
  const { parts } = present(file, "file of an open batch");
  const caller = await identityOf(ctx, present(key, "key of a batch"));
  const { bytes, lines } = from;
  const step = status === "validating" ? "check" : "cut";
  return { step, endpoint, parts, from: { bytes, lines }, caller };
}

/** Starts a batch whose file was checked, or ends it if the file has mistakes. */
export async function startBatch(
  ctx: MutationCtx,
  batchId: Id<"batches">,
  { total, mistakes }: { readonly total: number; readonly mistakes: Infer<typeof lineMistake>[] },
  now: number,
): Promise<void> {
  const batch = await ctx.db.get("batches", batchId);
  if (batch?.status !== "validating") return;
  if (mistakes.length > 0) {
    const failed = { status: "failed", mistakes, open: undefined, isCut: true, endedAt: now } as const;
    await ctx.db.patch("batches", batchId, failed);
    return;
  }
  const queueBatchId = await queue.batches.create(ctx, batch.organizationId, { externalId: batchId });
  await ctx.db.patch("batches", batchId, {
    status: "in_progress",
    total,
    startedAt: now,
    cutAt: now,
    queueBatchId,
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
      work,
      isHigh: v.boolean(),
      base64: v.boolean(),
    }),
    v.object({ kind: v.literal("failure"), failure: lineFailure }),
  ),
});
export type CutRequest = Infer<typeof cutRequest>;

/** `later`: the rest of the piece has to wait, and a step is scheduled for it. `stale`: another step was faster. */
export const pieceOutcome = v.union(v.literal("added"), v.literal("later"), v.literal("stale"));

/** Reservations that the key's projected balance may not show yet. */
const projectedWithinMs = 90_000;
/** A key without credits gets some back when its jobs end. */
const creditsRetryMs = 30_000;

/**
 * Submits the next requests of a batch, with their reservations, in one transaction. Requests that are refused end. `from`: where
 * the piece begins; a piece that was submitted already is stale. `isLast`: nothing follows it.
 */
export async function addPiece(
  ctx: MutationCtx,
  batchId: Id<"batches">,
  piece: { readonly from: number; readonly requests: readonly CutRequest[]; readonly isLast: boolean },
  now: number,
): Promise<Infer<typeof pieceOutcome>> {
  const batch = await ctx.db.get("batches", batchId);
  if (batch?.open !== true || batch.isCut || batch.cut.bytes !== piece.from) return "stale";
  const key = present(await ctx.db.get("apiKeys", batch.apiKeyId), "key of a batch");
  const why = whyDropped(batch, key, now);
  if (why !== null) {
    const ended = piece.requests.map((request) => ({ request, failure: { kind: "dropped" as const, why } }));
    await finishPiece(ctx, batch, { ended, fitting: [], isLast: piece.isLast }, now);
    return "added";
  }

  const { fitting, ended, next } = await prepareAll(ctx, batch, key, piece.requests, now);
  const outcome = await submitToBatch(ctx, key, fitting, queueBatchOf(batch), now);
  if (outcome.kind === "later") {
    await cutLater(ctx, batch, outcome.retryAfterMs, now);
    return "later";
  }
  const isWhole = next === null;
  await finishPiece(ctx, batch, { ended, fitting, isLast: piece.isLast && isWhole }, now);
  if (isWhole) return "added";
  await cutLater(ctx, batch, creditsRetryMs, now);
  return "later";
}

/** A job needs some time to be worth submitting. */
const leastTimeMs = 30_000;

/** Why no more requests of a batch become jobs; null if they do. */
function whyDropped(
  { status, expiresAt }: Doc<"batches">,
  key: Doc<"apiKeys">,
  now: number,
): "batch_cancelled" | "batch_expired" | null {
  if (status === "cancelling" || key.revokedAt !== undefined) return "batch_cancelled";
  return now + leastTimeMs >= expiresAt ? "batch_expired" : null;
}

type Ended = { readonly request: CutRequest; readonly failure: Infer<typeof lineFailure> };
type Fitting = BatchJob & { readonly request: CutRequest };

/**
 * Prepares the requests in their order, until the key's credits do not reach for the next one. That one waits for the end of the
 * key's other jobs, which gives credits back. Without such jobs it ends. `next`: the first that waits; null if none does.
 */
async function prepareAll(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  key: Doc<"apiKeys">,
  requests: readonly CutRequest[],
  now: number,
): Promise<{ fitting: Fitting[]; ended: Ended[]; next: CutRequest | null }> {
  const lately = batch.reserved.filter(({ at }) => at > now - projectedWithinMs);
  let left =
    (await projectedBalance(ctx, keyAccount(key._id))) - lately.reduce((sum, { micro }) => sum + micro, 0n);
  const fitting: Fitting[] = [];
  const ended: Ended[] = [];
  for (const request of requests) {
    const { asked } = request;
    if (asked.kind === "failure") {
      ended.push({ request, failure: asked.failure });
      continue;
    }
    const prepared = await preparedOrRefused(ctx, key, asked, batch.expiresAt - now, now);
    if ("refusal" in prepared) {
      const { code, message } = prepared.refusal;
      ended.push({ request, failure: { kind: "refused", code, message } });
    } else if (prepared.order.reservedMicro <= left) {
      left -= prepared.order.reservedMicro;
      const base64 = asked.base64 ? { base64: true as const } : {};
      const { line, customId } = request;
      fitting.push({ request, prepared, batchLine: { batchId: batch._id, line, customId, ...base64 } });
    } else if (fitting.length === 0 && lately.length === 0 && !(await hasOpenJobs(ctx, key))) {
      const message = "This API key has too few credits for the request.";
      ended.push({ request, failure: { kind: "refused", code: "quota_exceeded", message } });
    } else return { fitting, ended, next: request };
  }
  return { fitting, ended, next: null };
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
  { model, alias, work, isHigh }: Extract<CutRequest["asked"], { kind: "work" }>,
  expiresInMs: number,
  now: number,
): Promise<PreparedJob | { readonly refusal: Refusal }> {
  const priority = isHigh ? ("high" as const) : ("low" as const);
  const asked = { model, work, stream: false, priority, expiresInMs };
  try {
    const prepared = await prepare(ctx, key, alias === undefined ? asked : { ...asked, alias }, now);
    await checkNew(ctx, key, prepared, now);
    return prepared;
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
    readonly fitting: readonly Fitting[];
    readonly isLast: boolean;
  },
  now: number,
): Promise<void> {
  const { _id: batchId, reserved, organizationId } = batch;
  const { ended, fitting, isLast } = done;
  for (const { request, failure } of ended) {
    const { line, customId } = request;
    await ctx.db.insert("batchEnds", { batchId, line, customId, failure });
  }
  const cut = [...ended, ...fitting].reduce(
    ({ bytes, lines, requests }, { request }) => ({
      bytes: Math.max(bytes, request.end),
      lines: Math.max(lines, request.line),
      requests: requests + 1,
    }),
    batch.cut,
  );
  const lately = reserved.filter(({ at }) => at > now - projectedWithinMs);
  const micro = fitting.reduce((sum, { prepared }) => sum + prepared.order.reservedMicro, 0n);
  await ctx.db.patch("batches", batchId, {
    cut,
    cutAt: now,
    reserved: micro === 0n ? lately : [...lately, { at: now, micro }],
    ...(isLast ? { isCut: true } : {}),
  });
  if (isLast) await queue.batches.seal(ctx, organizationId, queueBatchOf(batch), "requester");
  if (ended.length > 0) await scheduleCollection(ctx, batchId);
  if (isLast) await concludeIfComplete(ctx, batchId, now);
}

/** Goes on with the file later, but not long after the batch's end. */
async function cutLater(ctx: MutationCtx, { _id, expiresAt }: Doc<"batches">, delayMs: number, now: number) {
  const at = Math.min(now + delayMs, Math.max(now, expiresAt));
  await ctx.db.patch("batches", _id, { cutAt: at });
  await ctx.scheduler.runAt(at, internal.batchSteps.cut, { batchId: _id });
}
