import { ConvexError } from "convex/values";

/** Why a call is refused as a whole. What may happen to a correct caller is in the return types instead. */
export type QueueRefusalCode = "unauthorized" | "not_found" | "invalid" | "too_large";

/** Refuses a call: its caller finds `{ code, message }` as the ConvexError's data. */
export function refuse(code: QueueRefusalCode, message: string): never {
  throw new ConvexError({ code, message });
}

/** For what a correct database always has: its absence is a bug. */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`missing: ${what}`);
  return value;
}
