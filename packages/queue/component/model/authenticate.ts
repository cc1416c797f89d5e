import type { Doc, QueryCtx } from "./builders.ts";
import { firstOf } from "./load.ts";
import { refuse } from "./refuse.ts";

/** The worker with this key; null for an unknown key. */
export async function findByKey(ctx: QueryCtx, keyHash: string): Promise<Doc<"workers"> | null> {
  return await firstOf(ctx.db.query("workers").withIndex("by_hash", (q) => q.eq("keyHash", keyHash)));
}

/** The worker with this key. Refuses: unauthorized, for an unknown key and for a retired worker. */
export async function authenticate(ctx: QueryCtx, keyHash: string): Promise<Doc<"workers">> {
  const worker = await findByKey(ctx, keyHash);
  if (worker === null) refuse("unauthorized", "Unknown worker key. Register the worker.");
  if (worker.status === "retired") refuse("unauthorized", "This worker was retired.");
  return worker;
}
