import { v } from "convex/values";
import { anything, capabilities, demand, waitSubscription } from "./validators.ts";

/**
 * The arguments of the functions that workers call, except the worker's identity. The component's functions (work.ts)
 * take `keyHash`, and an app's take `key`. The app's functions and the worker's types are derived from this list.
 */
export const workerMutations = {
  hello: { version: v.optional(v.string()), capabilities, startup: v.boolean() },
  goodbye: {},
  heartbeat: {},
  take: { wish: demand },
  /** `laneId` and `crowded` are the values that `candidates` returned. They save reads. */
  claim: {
    jobId: v.string(),
    late: v.boolean(),
    laneId: v.optional(v.string()),
    crowded: v.optional(v.boolean()),
    wish: demand,
  },
  append: { attemptId: v.string(), seq: v.number(), text: v.string() },
  progress: { attemptId: v.string(), view: anything },
  complete: {
    attemptId: v.string(),
    result: anything,
    report: v.optional(anything),
    begins: v.optional(v.array(v.string())),
    wish: demand,
  },
  fail: {
    attemptId: v.string(),
    error: v.object({
      code: v.string(),
      message: v.string(),
      retryable: v.boolean(),
      unfit: v.optional(v.boolean()),
    }),
    begins: v.optional(v.array(v.string())),
    wish: demand,
  },
  release: { attemptIds: v.array(v.string()), reason: v.string(), leave: v.boolean() },
  start: { attemptIds: v.array(v.string()) },
  leave: {},
} as const;

export const workerQueries = {
  candidates: { stands: v.array(waitSubscription) },
  handed: {},
  held: {},
} as const;
