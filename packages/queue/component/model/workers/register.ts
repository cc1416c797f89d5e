import type { AllowedCapabilities } from "../../../shared/validators.ts";
import { findByKey } from "../authenticate.ts";
import { boundedName } from "../bounds.ts";
import type { Id, MutationCtx } from "../builders.ts";
import { names } from "../capabilities.ts";
import { record } from "../events.ts";
import { defined } from "../load.ts";
import { positionOf } from "../placement.ts";
import { refuse } from "../refuse.ts";
import { settingsOf } from "../settings.ts";
import { checkedLimits } from "./allowed.ts";
import { byExternalId } from "./view.ts";

export type Registration = {
  readonly scope: string;
  readonly keyHash: string;
  readonly externalId?: string;
  readonly name: string;
  readonly groups?: readonly string[];
  readonly labels?: readonly string[];
  readonly dataClasses?: readonly string[];
  readonly keyPrefix?: string;
  readonly allowedCapabilities?: AllowedCapabilities;
  readonly maxConcurrentJobs?: number;
  readonly actor?: string;
};

/**
 * Registers a worker. The same registration again returns the same worker. Only point reads of its own rows, so
 * registrations never conflict. Refuses: invalid.
 */
export async function register(ctx: MutationCtx, given: Registration, now: number): Promise<Id<"workers">> {
  const { scope, keyHash, externalId, name, keyPrefix } = given;
  boundedName(scope, "scope");
  boundedName(keyHash, "keyHash");
  boundedName(name, "name");
  if (externalId !== undefined) boundedName(externalId, "externalId");
  if (keyPrefix !== undefined) boundedName(keyPrefix, "keyPrefix");
  const limits = checkedLimits(given);
  const groups = names(given.groups, "groups");
  const labels = given.labels && names(given.labels, "labels");
  const dataClasses = names(given.dataClasses, "dataClasses");

  const [earlier, namesake, settings] = await Promise.all([
    findByKey(ctx, keyHash),
    externalId === undefined ? null : byExternalId(ctx, scope, externalId),
    settingsOf(ctx, scope),
  ]);
  if (earlier !== null) {
    if (earlier.scope === scope && earlier.externalId === externalId) return earlier._id;
    refuse("invalid", "A worker with this key is registered already.");
  }
  if (namesake !== null) refuse("invalid", "A worker with this externalId is registered already.");

  const workerId = await ctx.db.insert("workers", {
    scope,
    keyHash,
    ...(externalId === undefined ? {} : { externalId }),
    name,
    ...defined({ keyPrefix, labels, ...limits }),
    status: "active",
    groups,
    dataClasses,
    online: false,
    position: positionOf(keyHash),
    life: 0,
    registeredAt: now,
    lastChangeAt: now,
  });
  const { leaseMs, offlineAfterMs } = settings;
  await ctx.db.insert("leases", {
    scope,
    workerId,
    keyHash,
    leaseMs,
    offlineAfterMs,
    lastSeenAt: 0,
  });
  await record(ctx, { scope, at: now, actor: given.actor, action: "worker.registered", subject: workerId });
  return workerId;
}
