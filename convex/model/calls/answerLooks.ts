import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { textsKeptMs } from "../queue.ts";

/**
 * Schedules the next look at the answers of a call (answers.ts): half of the time for which they are kept after `from`, so it comes
 * before the queue deletes one that has come since then. `order`: that of one of its jobs.
 */
export async function scheduleAnswerLook(
  ctx: MutationCtx,
  callId: Id<"calls">,
  order: Doc<"orders">,
  from: number,
): Promise<void> {
  await ctx.scheduler.runAt(from + textsKeptMs(order) / 2, internal.calls.answers.keep, { callId });
}
