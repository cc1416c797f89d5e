import type { FunctionHandle } from "convex/server";
import type { Doc, MutationCtx } from "../../builders.ts";
import type { BatchView } from "../../validators.ts";
import { present } from "../refuse.ts";
import { isComplete } from "./counts.ts";
import { batchViewOf } from "./view.ts";

/**
 * Ends a batch whose jobs are all final and counted, and calls its `onDone` in the same transaction: that is how it
 * is called exactly once.
 * @returns "threw" when the app's function did: what it wrote is undone, and the batch is still sealed.
 */
export async function concludeIfComplete(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  now: number,
): Promise<"done" | "not-yet" | "threw"> {
  if (!isComplete(batch, batch)) return "not-yet";
  await ctx.db.patch("batches", batch._id, { status: "done", doneAt: now });
  if (batch.onDone === undefined) return "done";
  const done = present(await ctx.db.get("batches", batch._id), "done batch");
  try {
    await ctx.runMutation(batch.onDone as FunctionHandle<"mutation", BatchView>, batchViewOf(done));
    return "done";
  } catch (error) {
    console.error(`onDone of batch ${batch._id} is called again later, since it threw:`, error);
    await ctx.db.patch("batches", batch._id, { status: "sealed", doneAt: undefined });
    return "threw";
  }
}
