import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { readPage } from "./pastAttempts.ts";

export const attemptOutcomes = v.object({
  /** Attempts that ended, of the last 100. */
  of: v.number(),
  succeeded: v.number(),
  failed: v.number(),
  lost: v.number(),
  /** Given back, because a person came back or Gleaner ended. */
  released: v.number(),
  /** Taken by another device, or canceled by the requester: not the device's doing. */
  other: v.number(),
});

/** How a device's last attempts ended: one page of its history is read. */
export async function outcomesOf(
  ctx: QueryCtx,
  device: Doc<"devices">,
): Promise<Infer<typeof attemptOutcomes>> {
  const { attempts } = await readPage(ctx, device, 0);
  const ended = attempts.filter(({ status }) => status !== "prefetched" && status !== "running");
  const withStatus = (...statuses: readonly string[]): number =>
    ended.filter(({ status }) => statuses.includes(status)).length;
  return {
    of: ended.length,
    succeeded: withStatus("succeeded"),
    failed: withStatus("failed"),
    lost: withStatus("lost"),
    released: withStatus("released"),
    other: withStatus("stolen", "outrun", "canceled", "expired"),
  };
}
