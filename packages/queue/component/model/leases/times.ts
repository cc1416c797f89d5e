import type { Doc } from "../builders.ts";

/** A sweep that comes this late means that the backend was away, so no worker could renew its lease. */
const lateMs = 5_000;
/** The longest pause between two sweeps while a worker is online. */
const longestRestMs = 40_000;
/** The shortest pause between two sweeps, so that one sweep handles deadlines that are close together. */
const shortestRestMs = 3_000;

type Lease = Pick<Doc<"leases">, "leaseMs" | "offlineAfterMs" | "lastSeenAt" | "deadline">;
type LeaseTimes = Pick<Lease, "leaseMs" | "offlineAfterMs">;

/**
 * Whether a call has to write its worker's lease. Writing at every call would be waste, so it waits for a tenth of the
 * lease. It does not wait when a worker without jobs takes its first one: the deadline is still the long one.
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
 * Later calls set deadlines beyond `far`, so a sweep sees every deadline up to it. `near` is the part that a sweep may
 * read in a large fleet. A worker on schedule renews before its deadline is that near, so it causes no conflict.
 */
export function horizonOf({ leaseMs, offlineAfterMs }: LeaseTimes): {
  readonly near: number;
  readonly far: number;
} {
  const far = Math.min(leaseMs, offlineAfterMs, longestRestMs);
  return { near: far / 2, far };
}

/** When to handle a deadline: at the deadline, but not immediately after the last sweep. */
export function nextLookAt(deadline: number, { leaseMs }: LeaseTimes, now: number): number {
  return Math.max(deadline, now + Math.min(shortestRestMs, leaseMs / 10));
}

/** Whether the backend was away when this sweep was due, so that no worker is to blame. Only once in a row. */
export function isLate({ due, graced }: { due: number; graced: boolean }, now: number): boolean {
  return !graced && now - due > lateMs;
}
