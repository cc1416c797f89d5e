import type { Doc, QueryCtx } from "../../builders.ts";
import { onlyOf } from "../onlyOf.ts";

/** What is set for a requester or a key; null when nothing is. */
export async function limitOf(
  ctx: QueryCtx,
  scope: string,
  of: "requester" | "key",
  name: string,
): Promise<Doc<"limits"> | null> {
  return await onlyOf(
    ctx.db.query("limits").withIndex("by_name", (q) => q.eq("scope", scope).eq("of", of).eq("name", name)),
  );
}
