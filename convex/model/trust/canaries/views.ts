import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../../_generated/dataModel.js";
import type { QueryCtx } from "../../../_generated/server.js";
import { canaryState } from "../validators.ts";
import { named, nameOf } from "../views.ts";

export const canaryRow = v.object({
  /** The job of the tested device. */
  jobId: v.string(),
  device: named,
  /** The devices to compare with: one, or two. */
  others: v.array(named),
  modelId: v.string(),
  state: canaryState,
  at: v.number(),
});

export const canaryCount = v.object({ state: canaryState, count: v.number() });

/** The newest canaries, which are counted. */
const mostCounted = 200;

/** How many of the newest 200 canaries have each result. */
export async function canaryCounts(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof canaryCount>[]> {
  const rows = await ctx.db
    .query("canaries")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .order("desc")
    .take(mostCounted);
  const counts = new Map<Infer<typeof canaryState>, number>();
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => ({ state, count }));
}

export async function canaryRowOf(
  ctx: QueryCtx,
  { _creationTime: at, modelId, state, deviceIds, jobIds }: Doc<"canaries">,
): Promise<Infer<typeof canaryRow>[]> {
  const [device, ...others] = await Promise.all(deviceIds.map(async (id) => await nameOf(ctx, id)));
  const [jobId] = jobIds;
  return device === undefined || jobId === undefined ? [] : [{ jobId, device, others, modelId, state, at }];
}
