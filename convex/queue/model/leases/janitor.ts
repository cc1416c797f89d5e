import type { Id, MutationCtx } from "../../builders.ts";
import { heldBy } from "../jobs/held.ts";
import { lose } from "../jobs/lose.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { leaveRings } from "../rings/membership.ts";
import { leaseOf } from "./leaseOf.ts";

/** A look that comes this late means that the backend was away, so nobody could renew. */
const lateMs = 5_000;

export type Look = {
  readonly workerId: Id<"workers">;
  /** When this look was due. */
  readonly deadline: number;
  /** Whether the worker was given one more lease because the last look came late. */
  readonly graced: boolean;
};

/** What the janitor does at a look. */
export type Verdict =
  /** Nothing is held: until the next claim. */
  | { readonly kind: "rest" }
  | { readonly kind: "look-again"; readonly at: number; readonly graced: boolean }
  | { readonly kind: "lost" };

/**
 * A lease that was renewed meanwhile is looked at again when it ends. A look that itself comes late gives one more
 * lease: a backend that was down must not blame its workers.
 */
export function verdictOf(
  lease: { readonly expiresAt: number; readonly leaseMs: number },
  held: number,
  { deadline, graced }: Pick<Look, "deadline" | "graced">,
  now: number,
): Verdict {
  if (held === 0) return { kind: "rest" };
  if (lease.expiresAt > now) return { kind: "look-again", at: lease.expiresAt, graced: false };
  if (!graced && now - deadline > lateMs)
    return { kind: "look-again", at: now + lease.leaseMs, graced: true };
  return { kind: "lost" };
}

/** Looks at a worker's lease when it should have run out. One look per worker is scheduled at a time. */
export async function checkLease(ctx: MutationCtx, look: Look, now: number): Promise<void> {
  const { workerId } = look;
  const [lease, held] = await Promise.all([leaseOf(ctx, workerId), heldBy(ctx, workerId)]);
  const verdict = verdictOf(lease, held.length, look, now);
  if (verdict.kind === "look-again") {
    const { at: deadline, graced } = verdict;
    await ctx.scheduler.runAt(deadline, maintenance.checkLease, { workerId, deadline, graced });
    return;
  }
  if (verdict.kind === "lost") {
    // First, so that nobody is counted on, or woken, who does not hear it.
    await leaveRings(ctx, workerId);
    for (const attempt of held) await lose(ctx, attempt, now);
  }
  await ctx.db.patch("leases", lease._id, { armed: false });
}

/** Shows a worker as offline that nothing was heard of for long; looks again while something is. */
export async function checkPresence(ctx: MutationCtx, workerId: Id<"workers">, now: number): Promise<void> {
  const [lease, found] = await Promise.all([leaseOf(ctx, workerId), ctx.db.get("workers", workerId)]);
  const worker = present(found, "worker of a lease");
  const deadline = lease.lastSeenAt + lease.offlineAfterMs;
  if (worker.online && deadline > now) {
    await ctx.scheduler.runAt(deadline, maintenance.checkPresence, { workerId });
    return;
  }
  await ctx.db.patch("leases", lease._id, { presenceArmed: false });
  if (!worker.online) return;
  await leaveRings(ctx, workerId);
  await ctx.db.patch("workers", workerId, { online: false, lastChangeAt: now });
}
