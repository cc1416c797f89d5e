import { capabilities, type WorkerView } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { components } from "../components.ts";
import { balanceOf } from "../ledger/balance.ts";
import { deviceAccount } from "../ledger/transfer.ts";
import type { Owners } from "../memberCalls.ts";
import { fleetOf } from "../models/fleet.ts";
import { ownerName, ownerView } from "../people/owners.ts";
import { queue } from "../queue.ts";
import {
  activity,
  deviceLimits,
  type DeviceModel,
  deviceModel,
  devicePause,
  serviceStatus,
} from "../validators.ts";
import { origin, originOf } from "./arrivals.ts";
import { visibleCapabilities } from "./capabilities.ts";
import { serviceStatusOf } from "./service.ts";

const maxListed = 300;
/** Counting stops here, so this count means "at least". */
const maxCounted = 2_000;
const perPage = 100;

export const deviceRow = v.object({
  deviceId: v.id("devices"),
  name: v.string(),
  owner: ownerName,
  platform: v.string(),
  online: v.boolean(),
  /** Whether it accepts jobs now. */
  accepting: v.boolean(),
  status: serviceStatus,
  /** Why it was paused, if it is. */
  pause: v.union(devicePause, v.null()),
  /** The version that it needs to get jobs, if its program is older. */
  needsVersion: v.union(v.string(), v.null()),
  /** Whether it has a key to sign results. Old programs have none. */
  signs: v.boolean(),
  activity: v.union(activity, v.null()),
  /** Start of the activity or of retirement: milliseconds since the epoch. */
  since: v.number(),
  /** Names of facts that it does not know about its computer; null before its first report. */
  unknownFacts: v.union(v.array(v.string()), v.null()),
  models: v.array(deviceModel),
  groups: v.array(v.string()),
  /** Given by an admin. The device reports others in its capabilities. */
  tags: v.array(v.string()),
  dataClasses: v.array(v.string()),
  /** What the organization allows it; null without limits. */
  limits: v.union(deviceLimits, v.null()),
  /** What counts for the queue: the device's report, cut to its limits. Null until its first `hello`. */
  capabilities: v.union(capabilities, v.null()),
  version: v.union(v.string(), v.null()),
  jobsNow: v.number(),
  /** Null for those who see no money. */
  earnedMicro: v.union(v.int64(), v.null()),
  lastChangeAt: v.number(),
  ...origin,
});

type Listed = { readonly device: Doc<"devices">; readonly worker: WorkerView };

/**
 * An organization's devices as the console shows them, in order of enrollment. If there are too many for one page, devices
 * online come first. `deviceCount` gives the number of all devices.
 */
export async function deviceRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
): Promise<Infer<typeof deviceRow>[]> {
  const devices =
    owners === null
      ? await allDevices(ctx, organizationId)
      : await devicesOfOwners(ctx, organizationId, owners);
  devices.sort((a, b) => a.device.enrolledAt - b.device.enrolledAt);
  const fleet = await fleetOf(ctx, organizationId);
  const modelsOf = new Map(fleet.map(({ deviceId, models }) => [deviceId, models] as const));
  return await Promise.all(
    devices.map(async (listed) => await rowOf(ctx, listed, modelsOf.get(listed.device._id) ?? [])),
  );
}

async function rowOf(
  ctx: QueryCtx,
  { device, worker }: Listed,
  models: DeviceModel[],
): Promise<Infer<typeof deviceRow>> {
  const {
    online,
    accepting,
    groups,
    labels,
    dataClasses,
    capabilities: workerCapabilities,
    version,
  } = worker;
  const [held, balance, joined, owner] = await Promise.all([
    online ? ctx.runQuery(components.queue.work.held, { keyHash: device.keyHash }) : [],
    balanceOf(ctx, deviceAccount(device._id)),
    originOf(ctx, device),
    ownerView(ctx, device.owner),
  ]);
  return {
    deviceId: device._id,
    name: visibleText(device.name),
    owner,
    platform: visibleText(device.platform),
    online,
    accepting,
    status: serviceStatusOf(device),
    pause: device.pause ?? null,
    needsVersion: device.needsVersion ?? null,
    signs: device.signingKey !== undefined,
    activity: device.activity,
    since: device.lastChangeAt,
    unknownFacts: device.unknownFacts ?? null,
    models,
    groups,
    tags: labels,
    dataClasses,
    limits: device.limits ?? null,
    capabilities: workerCapabilities === null ? null : visibleCapabilities(workerCapabilities),
    version: version === null ? null : visibleText(version),
    jobsNow: held.length,
    earnedMicro: balance.micro,
    lastChangeAt: Math.max(device.lastChangeAt, worker.lastChangeAt),
    ...joined,
  };
}

/** The number of an organization's devices, and of those that `deviceRows` lists. */
export async function deviceCount(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
): Promise<{ total: number; listed: number }> {
  if (owners !== null) {
    const { length } = await devicesOfOwners(ctx, organizationId, owners);
    return { total: length, listed: length };
  }
  const devices = await ctx.db
    .query("devices")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(maxCounted);
  return { total: devices.length, listed: Math.min(devices.length, maxListed) };
}

/** The numbers of online devices that donate, were paused automatically or need an update, among those that `deviceRows` lists. */
export async function onlineCounts(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<{ readonly donating: number; readonly paused: number; readonly outdated: number }> {
  const online = await devicesOf(ctx, organizationId, true, maxListed);
  const statuses = online.map(({ device }) => [serviceStatusOf(device), device.activity?.kind] as const);
  return {
    // A device that gets no jobs may still report that it donates.
    donating: statuses.filter(([status, kind]) => status === "active" && kind === "donating").length,
    paused: statuses.filter(([status]) => status === "paused").length,
    outdated: statuses.filter(([status]) => status === "outdated").length,
  };
}

async function allDevices(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Listed[]> {
  const online = await devicesOf(ctx, organizationId, true, maxListed);
  return [...online, ...(await devicesOf(ctx, organizationId, false, maxListed - online.length))];
}

/** The devices that belong to somebody and are not retired. */
async function devicesOfOwners(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: NonNullable<Owners>,
): Promise<Listed[]> {
  const found = await Promise.all(
    owners.flatMap((owner) =>
      (["active", "pending"] as const).map((status) =>
        ctx.db
          .query("devices")
          .withIndex("by_owner", (q) => q.eq("owner", owner).eq("status", status))
          .take(maxListed),
      ),
    ),
  );
  const listed = await Promise.all(
    found
      .flat()
      .slice(0, maxListed)
      .map(async (device) => {
        const worker = await queue.workers.get(ctx, organizationId, device.workerId);
        return worker === null ? [] : [{ device, worker }];
      }),
  );
  return listed.flat();
}

async function devicesOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  online: boolean,
  limit: number,
): Promise<Listed[]> {
  const workers: WorkerView[] = [];
  let cursor: string | null = null;
  while (workers.length < limit) {
    const paginationOpts = { numItems: Math.min(perPage, limit - workers.length), cursor };
    const page = await queue.workers.list(ctx, organizationId, { online, paginationOpts });
    workers.push(...page.page);
    if (page.isDone) break;
    cursor = page.continueCursor;
  }
  const listed = await Promise.all(
    workers.map(async (worker) => {
      const deviceId = ctx.db.normalizeId("devices", worker.externalId ?? "");
      const device = deviceId === null ? null : await ctx.db.get("devices", deviceId);
      return device === null ? [] : [{ device, worker }];
    }),
  );
  return listed.flat();
}
