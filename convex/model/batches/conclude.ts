import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
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
  await ctx.db.patch("batches", batchId, { status, open: undefined, endedAt: now, ...known });
  await shortenFiles(ctx, batch, now);
  await tellBatchEnd(ctx, batch, status, now);
}

const hourMs = 3_600_000;

/**
 * Has the files of an ended batch deleted when its data class says so, unless they are anyway before. A file of requests stays while
 * another batch of the key reads it, whose end comes here, too.
 */
export async function shortenFiles(ctx: MutationCtx, batch: Doc<"batches">, now: number): Promise<void> {
  const { _id, apiKeyId, keptHours, inputFileId, outputFileId, errorFileId } = batch;
  if (keptHours === undefined) return;
  const open = await ctx.db
    .query("batches")
    .withIndex("by_open", (q) => q.eq("open", true).eq("apiKeyId", apiKeyId))
    .collect();
  const isRead = open.some((other) => other._id !== _id && other.inputFileId === inputFileId);
  const expiresAt = now + keptHours * hourMs;
  for (const fileId of [...(isRead ? [] : [inputFileId]), outputFileId, errorFileId]) {
    const file = fileId === undefined ? null : await ctx.db.get("files", fileId);
    if (file !== null && file.expiresAt > expiresAt) await ctx.db.patch("files", file._id, { expiresAt });
  }
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
