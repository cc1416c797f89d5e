import type { WorkerAnswer, WorkerCall } from "../../../shared/work.ts";
import { releaseAll } from "../attempt/release.ts";
import { authenticate } from "../authenticate.ts";
import { boundedName } from "../bounds.ts";
import type { Doc, MutationCtx } from "../builders.ts";
import { checkedCapabilities, sameAbility, sameCapabilities } from "../capabilities.ts";
import { leaseByKey, renew } from "../leases/renew.ts";
import { scheduleSweep } from "../leases/sweep.ts";
import { present } from "../refuse.ts";
import { leaveRings } from "../rings/membership.ts";
import { settingsOf } from "../settings.ts";
import { limited, reportOf } from "./allowed.ts";

/**
 * A worker connects, or its capabilities change. A start or a change removes it from the rings until it asks for jobs.
 * @param args.startup whether the program has just started. Jobs that it held before are given back.
 * Refuses: unauthorized, invalid.
 */
export async function hello(
  ctx: MutationCtx,
  { keyHash, version, capabilities, startup }: WorkerCall<"hello">,
  now: number,
): Promise<WorkerAnswer<"hello">> {
  if (version !== undefined) boundedName(version, "version");
  const reported = checkedCapabilities(capabilities);
  const [worker, found] = await Promise.all([authenticate(ctx, keyHash), leaseByKey(ctx, keyHash)]);
  const lease = present(found, "lease of a worker");
  const { leaseMs, offlineAfterMs } = await settingsOf(ctx, worker.scope);

  const changed = lease.leaseMs !== leaseMs || lease.offlineAfterMs !== offlineAfterMs;
  if (changed) await ctx.db.patch("leases", lease._id, { leaseMs, offlineAfterMs });
  // The deadline used the old settings. With `lastSeenAt` 0 it is written again.
  const current = { ...lease, leaseMs, offlineAfterMs, ...(changed ? { lastSeenAt: 0 } : {}) };
  await renew(ctx, worker, current, now);
  await scheduleSweep(ctx, worker.scope, { leaseMs, offlineAfterMs }, now);
  const before = reportOf(worker);
  const hasChanged = startup || !sameCapabilities(before, reported);
  const isNewLife = startup || !sameAbility(before, reported);
  if (hasChanged || (version !== undefined && version !== worker.version)) {
    await ctx.db.patch("workers", worker._id, {
      ...limited(reported, worker),
      ...(version === undefined ? {} : { version }),
      life: worker.life + (isNewLife ? 1 : 0),
      ...(startup ? { startedAt: now } : {}),
      lastChangeAt: now,
    });
  }
  if (hasChanged) await leaveRings(ctx, worker._id);
  if (startup) await releaseAll(ctx, worker, "restarted", now);
  return { workerId: worker._id, leaseMs };
}

/** The worker's program ends: it is offline at once, and its jobs go to others. */
export async function goodbye(ctx: MutationCtx, worker: Doc<"workers">, now: number): Promise<void> {
  await leaveRings(ctx, worker._id);
  await releaseAll(ctx, worker, "goodbye", now);
  if (worker.online) await ctx.db.patch("workers", worker._id, { online: false, lastChangeAt: now });
}
