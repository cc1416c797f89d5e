import { type Infer, v } from "convex/values";

/** What happens to one job in work that nobody waits for. */
export const step = v.union(
  v.object({ kind: v.literal("cancel"), jobId: v.id("jobs") }),
  v.object({ kind: v.literal("expire"), jobId: v.id("jobs") }),
  v.object({ kind: v.literal("revive"), jobId: v.id("jobs") }),
  v.object({ kind: v.literal("lose"), attemptId: v.id("attempts") }),
  v.object({ kind: v.literal("settle"), dependencyId: v.id("dependencies") }),
);
export type Step = Infer<typeof step>;
