import { ConvexError } from "convex/values";

/** Why a whole call is refused. Outcomes that a correct caller can meet are in the return types. */
export type QueueRefusalCode = "unauthorized" | "not_found" | "invalid" | "too_large" | "too_many_lanes";

/** Refuses a call. The caller finds `{ code, message }` in the ConvexError's data. */
export function refuse(code: QueueRefusalCode, message: string): never {
  throw new ConvexError({ code, message });
}

/** Asserts that a value exists. If it does not, the code or the database has a bug. */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`missing: ${what}`);
  return value;
}
