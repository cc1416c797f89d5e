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
  await tellBatchEnd(ctx, batch, status, now);
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
