import { changesText } from "../../../app/audit/changes.ts";
import { isOlder, isVersion, newerOf, oldestVersion } from "../../../app/versions.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { relist } from "../fleet/listing.ts";
import { queue } from "../queue.ts";
import { present, refuse } from "../refuse.ts";
import { setService } from "./service.ts";

/** The oldest version whose devices get jobs: what the organization asks for, or what the protocol requires. */
export async function oldestVersionOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<string> {
  const organization = present(await ctx.db.get("organizations", organizationId), "organization");
  return newerOf(organization.oldestVersion ?? oldestVersion, oldestVersion);
}

/**
 * Takes a device with an old program out of service, and back in after its update. A program is old by its version, or
 * because it does not sign results. An update that was asked for is forgotten once the device has it. Writes only if
 * something changes.
 */
export async function applyVersion(
  ctx: MutationCtx,
  device: Doc<"devices">,
  version: string | null,
  oldest: string,
  now: number,
): Promise<void> {
  const isOld = isOlder(version, oldest) || device.signingKey === undefined;
  const needsVersion = isOld ? oldest : undefined;
  if (device.askedVersion !== undefined && !isOlder(version, device.askedVersion.version))
    await ctx.db.patch("devices", device._id, { askedVersion: undefined });
  if (needsVersion !== device.needsVersion)
    await setService(ctx, device, { needsVersion }, { actor: "system", at: now });
}

/** Asks a device for a version, or withdraws that. It gets jobs as before. */
export async function askVersion(
  ctx: MutationCtx,
  deviceId: Id<"devices">,
  askedVersion: Doc<"devices">["askedVersion"],
): Promise<void> {
  await ctx.db.patch("devices", deviceId, { askedVersion });
  await relist(ctx, deviceId);
}

/** Refuses (invalid) text that is no version. */
export function checkVersion(text: string): void {
  if (!isVersion(text)) refuse("invalid", 'A version is three numbers, such as "0.2.0".');
}

/** Sets the oldest version whose devices get jobs, and applies it to all devices. Refuses: invalid. */
export async function requireVersion(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  version: string,
  by: Act,
): Promise<void> {
  const oldest = version.trim();
  checkVersion(oldest);
  if (isOlder(oldest, oldestVersion))
    refuse("invalid", `This server works with devices from version ${oldestVersion} on.`);
  const before = await oldestVersionOf(ctx, organizationId);
  const detail = changesText([["oldest version", before, oldest]]);
  await setOldest(ctx, organizationId, oldest, { ...by, detail });
}

/** Requires the version that was required before a restore, unless the backup's is as new or newer. */
export async function keepOldestVersion(
  ctx: MutationCtx,
  { _id: organizationId, oldestVersion: restored }: Doc<"organizations">,
  replaced: string,
  now: number,
): Promise<void> {
  const before = restored ?? oldestVersion;
  if (!isOlder(before, replaced)) return;
  const detail = changesText([["oldest version", before, replaced]], ["as before the restore"]);
  await setOldest(ctx, organizationId, replaced, { at: now, actor: "setup", detail });
}

type Change = Act & { readonly detail: string };

async function setOldest(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  version: string,
  change: Change,
): Promise<void> {
  await ctx.db.patch("organizations", organizationId, { oldestVersion: version });
  const entry = { organizationId, action: "version.required", subject: organizationId } as const;
  await record(ctx, { ...entry, ...change });
  await ctx.scheduler.runAfter(0, internal.maintenance.checkVersions, { organizationId, cursor: null });
}

const perBatch = 50;

/** Applies the organization's oldest version to the next devices. @returns the next batch's cursor; null at the end. */
export async function checkVersionBatch(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  cursor: string | null,
  now: number,
): Promise<string | null> {
  const oldest = await oldestVersionOf(ctx, organizationId);
  const paginationOpts = { numItems: perBatch, cursor };
  const { page, isDone, continueCursor } = await queue.workers.list(ctx, organizationId, { paginationOpts });
  for (const { externalId, version, capabilities } of page) {
    const deviceId = ctx.db.normalizeId("devices", externalId ?? "");
    const device = deviceId === null ? null : await ctx.db.get("devices", deviceId);
    // A device that has never said hello tells its version when it does.
    if (device !== null && capabilities !== null) await applyVersion(ctx, device, version, oldest, now);
  }
  return isDone ? null : continueCursor;
}
