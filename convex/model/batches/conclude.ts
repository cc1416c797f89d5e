import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { present } from "../refuse.ts";

/** Ends a batch if all of its requests have ended, and their answers and errors are in its files. */
export async function concludeIfComplete(
  ctx: MutationCtx,
  batchId: Id<"batches">,
  now: number,
): Promise<void> {
  const { status, isCut, completed, failed, expired, total } = present(
    await ctx.db.get("batches", batchId),
    "batch",
  );
  if (!isCut || completed + failed < total) return;
  const end = status === "cancelling" ? "cancelled" : expired > 0 ? "expired" : "completed";
  await ctx.db.patch("batches", batchId, { status: end, open: undefined, endedAt: now, reserved: [] });
}
