import { type Infer, v } from "convex/values";

/** A change of one job in background work. It is sent to the scheduled function `step`. */
export const step = v.union(
  v.object({ kind: v.literal("cancel"), jobId: v.id("jobs") }),
  v.object({ kind: v.literal("expire"), jobId: v.id("jobs") }),
  v.object({ kind: v.literal("retry"), jobId: v.id("jobs") }),
  v.object({ kind: v.literal("markLost"), attemptId: v.id("attempts") }),
  v.object({ kind: v.literal("settle"), dependencyId: v.id("dependencies") }),
);
export type Step = Infer<typeof step>;
