import { v } from "convex/values";
import { anything, capabilities, stand, wish } from "./validators.ts";

/**
 * The arguments of the functions that workers call, without who calls: the component's take `keyHash`, an app's own
 * take `key`.
 */
export const workerArgs = {
  hello: { version: v.optional(v.string()), capabilities, startup: v.boolean() },
  take: { wish },
  candidates: { stands: v.array(stand) },
  /** `laneId` and `crowded` as `candidates` gave them: saves reads. */
  claim: {
    jobId: v.string(),
    late: v.boolean(),
    laneId: v.optional(v.string()),
    crowded: v.optional(v.boolean()),
    wish,
  },
  append: { attemptId: v.string(), seq: v.number(), text: v.string() },
  progress: { attemptId: v.string(), view: anything },
  complete: {
    attemptId: v.string(),
    result: anything,
    report: v.optional(anything),
    begins: v.optional(v.array(v.string())),
    wish,
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
    wish,
  },
  release: { attemptIds: v.array(v.string()), reason: v.string(), leave: v.boolean() },
  start: { attemptIds: v.array(v.string()) },
} as const;
