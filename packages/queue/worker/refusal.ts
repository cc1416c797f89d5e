import { ConvexError } from "convex/values";

/** The queue does not know this key (any more): asking again does not help. */
export class UnknownWorkerError extends Error {
  override readonly name = "UnknownWorkerError";
}

/** What a call's or a subscription's error means. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof ConvexError)) return error;
  const { code } = (error.data ?? {}) as { readonly code?: unknown };
  return code === "unauthorized" || code === "revoked" ? new UnknownWorkerError(code) : error;
}
