import type { Doc, QueryCtx } from "../builders.ts";
import { firstOf } from "./load.ts";
import { refuse } from "./refuse.ts";

/** The worker of a key; null when it is nobody's. */
export async function findByKey(ctx: QueryCtx, keyHash: string): Promise<Doc<"workers"> | null> {
  return await firstOf(ctx.db.query("workers").withIndex("by_hash", (q) => q.eq("keyHash", keyHash)));
}

/** The same, refusing `unauthorized` for an unknown key and a retired worker's. */
export async function authenticate(ctx: QueryCtx, keyHash: string): Promise<Doc<"workers">> {
  const worker = await findByKey(ctx, keyHash);
  if (worker === null) refuse("unauthorized", "This worker key is not known here. Register the worker.");
  if (worker.status === "retired") refuse("unauthorized", "This worker was retired.");
  return worker;
}
