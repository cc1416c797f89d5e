import type { MutationCtx } from "../../builders.ts";
import { forgottenAfterMs } from "../spreads/width.ts";

const piece = 100;

/** Deletes spreads that have narrowed to one slot since. @returns whether more is left. */
export async function forgetSpreads(ctx: MutationCtx, now: number): Promise<boolean> {
  const old = await ctx.db
    .query("spreads")
    .withIndex("by_widened", (q) => q.lt("widenedAt", now - forgottenAfterMs))
    .take(piece);
  for (const { _id } of old) await ctx.db.delete("spreads", _id);
  return old.length === piece;
}
