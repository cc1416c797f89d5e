import type { Doc } from "../../builders.ts";

/** A sweep that comes this late means that the backend was away, so nobody could renew. */
const lateMs = 5_000;
/** The longest that a scope with anybody online is not looked at. */
const longestRestMs = 40_000;
/** Between two looks, so that deadlines that lie close together are dealt with by one. */
const shortestRestMs = 3_000;

type Lease = Pick<Doc<"leases">, "leaseMs" | "offlineAfterMs" | "lastSeenAt" | "deadline">;
type LeaseTimes = Pick<Lease, "leaseMs" | "offlineAfterMs">;

/**
 * Whether a call writes its worker's lease: a tenth of it is gone, since to write it at each call would waste writes;
 * or it takes its first job, and had the long one of those that hold none.
 */
export function isOutdated(
  { leaseMs, lastSeenAt, deadline }: Lease,
  takesJob: boolean,
  now: number,
): boolean {
  if (deadline === undefined || now - lastSeenAt > (deadline - lastSeenAt) / 10) return true;
  return takesJob && deadline > now + leaseMs;
}

/**
 * How far ahead a sweep knows all deadlines: whatever is written after it lies beyond. `near` is what it may read in
 * a large fleet: a worker that keeps its cadence renews before its deadline is so near, and does not collide with it.
 */
export function horizonOf({ leaseMs, offlineAfterMs }: LeaseTimes): {
  readonly near: number;
  readonly far: number;
} {
  const far = Math.min(leaseMs, offlineAfterMs, longestRestMs);
  return { near: far / 2, far };
}

/** When to look for a deadline: at it, but not at once again. */
export function nextLookAt(deadline: number, { leaseMs }: LeaseTimes, now: number): number {
  return Math.max(deadline, now + Math.min(shortestRestMs, leaseMs / 10));
}

/** Whether nobody is to be blamed: the backend was away when this look was due. Once in a row. */
export function isLate({ due, graced }: { due: number; graced: boolean }, now: number): boolean {
  return !graced && now - due > lateMs;
}
