import type { QueryCtx } from "../../builders.ts";
import type { LimitedBy } from "../jobs/turns.ts";

export type Limited = { readonly scope: string; readonly of: LimitedBy; readonly name: string };

/** Jobs of the name that have their turn, counted up to `most`. Reads no more rows than that. */
export async function heldBy(ctx: QueryCtx, limited: Limited, most: number): Promise<number> {
  let held = 0;
  for (const status of ["ready", "prefetched", "running"] as const) {
    if (held < most) held += (await inStatus(ctx, limited, status).take(most - held)).length;
  }
  return held;
}

function inStatus(ctx: QueryCtx, { scope, of, name }: Limited, status: "ready" | "prefetched" | "running") {
  const jobs = ctx.db.query("jobs");
  return of === "requester"
    ? jobs.withIndex("by_requester", (q) => q.eq("scope", scope).eq("requester", name).eq("status", status))
    : jobs.withIndex("by_key", (q) => q.eq("scope", scope).eq("key", name).eq("status", status));
}
