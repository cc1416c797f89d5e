import type { Call, CallKind } from "../side.ts";

/** The module with the functions that workers call. */
export const module = "work";
/** The kind of every job, as in bench/ours/convex/queue.ts. */
export const kind = "bench";

/** Classifies the calls of the queue's protocol (packages/queue/worker/contract/protocol.ts). */
export function kindOf({ name, value, error }: Call): CallKind {
  if (error !== null) return "failure";
  const { kind, jobs = [] } = (value ?? {}) as { readonly kind?: string; readonly jobs?: readonly unknown[] };
  switch (name) {
    case `${module}:take`:
      return jobs.length > 0 ? "claim" : "empty";
    case `${module}:claim`:
      return kind === "claimed" ? "claim" : "empty";
    case `${module}:complete`:
      return kind === "completed" ? "completion" : "other";
    default:
      return "other";
  }
}
