import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { readerOf } from "../files/files.ts";
import { present } from "../refuse.ts";
import { tellBatchEnd } from "../webhooks/events.ts";
import { errorOfWork } from "./work.ts";

/** Ends a batch if all of its requests have ended, and their answers and errors are in its files. */
export async function concludeIfComplete(
  ctx: MutationCtx,
  batchId: Id<"batches">,
  now: number,
): Promise<void> {
  const batch = present(await ctx.db.get("batches", batchId), "batch");
  const { isCut, completed, failed, total } = batch;
  if (!isCut || completed + failed < total) return;
  const status = endOf(batch);
  const error = status === "completed" ? await errorOfWork(ctx, batch, now) : null;
  const known = error === null ? {} : { workError: error };
  await endBatch(ctx, batch, status, known, now);
}

/** Ends a batch. `more`: what else is known of it by now. */
export async function endBatch(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  status: Parameters<typeof tellBatchEnd>[2],
  more: Partial<Pick<Doc<"batches">, "isCut" | "mistakes" | "workError">>,
  now: number,
): Promise<void> {
  await ctx.db.patch("batches", batch._id, { ...more, status, open: undefined, endedAt: now });
  await shortenFiles(ctx, batch, now);
  await tellBatchEnd(ctx, batch, status, now);
}

const hourMs = 3_600_000;

/**
 * Shortens the time of an ended batch's files to what its data class says. While another batch reads the file of requests, that file
 * keeps its time. The end of the last such batch shortens it to the least that the class of any of them says.
 */
async function shortenFiles(
  ctx: MutationCtx,
  { keptHours, inputFileId, outputFileId, errorFileId }: Doc<"batches">,
  now: number,
): Promise<void> {
  for (const fileId of [outputFileId, errorFileId]) {
    const file = fileId === undefined ? null : await ctx.db.get("files", fileId);
    if (file !== null) await shorten(ctx, file, keptHours, now);
  }
  const [requests, reader] = await Promise.all([
    ctx.db.get("files", inputFileId),
    readerOf(ctx, inputFileId),
  ]);
  if (requests !== null && reader === null) await shorten(ctx, requests, requests.keptHours, now);
}

async function shorten(
  ctx: MutationCtx,
  { _id, expiresAt: before }: Doc<"files">,
  keptHours: number | undefined,
  now: number,
): Promise<void> {
  const expiresAt = keptHours === undefined ? Infinity : now + keptHours * hourMs;
  if (expiresAt < before) await ctx.db.patch("files", _id, { expiresAt });
}

function endOf({
  status,
  mistakes,
  expired,
}: Doc<"batches">): "cancelled" | "failed" | "expired" | "completed" {
  if (status === "cancelling") return "cancelled";
  if (mistakes.length > 0) return "failed";
  return expired > 0 ? "expired" : "completed";
}
