import type { Doc, MutationCtx } from "../../builders.ts";
import { spreadOf } from "./find.ts";
import { widened } from "./width.ts";

/**
 * One that waited claims a job, while others of its affinity stand behind it: spreads them further, if it is
 * time. Of two that do so at once one runs again, and finds that it is not time.
 */
export async function widen(
  ctx: MutationCtx,
  { scope, name, slots }: Doc<"lanes">,
  affinity: string,
  now: number,
): Promise<void> {
  const spread = await spreadOf(ctx, scope, name, affinity);
  const wider = widened(spread, slots, now);
  if (wider === null) return;
  if (spread === null) await ctx.db.insert("spreads", { scope, lane: name, affinity, ...wider });
  else await ctx.db.patch("spreads", spread._id, wider);
}
