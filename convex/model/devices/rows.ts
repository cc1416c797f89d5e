import { capabilities, type WorkerView } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { components } from "../../components.ts";
import { deviceAccount } from "../ledger/accounts.ts";
import { balanceOf } from "../ledger/balance.ts";
import { fleetOf } from "../models/fleet.ts";
import { queue } from "../queue.ts";
import { activity, deviceModel } from "../validators.ts";
import type { DeviceModel } from "./report.ts";

const maxListed = 300;
/** Counting stops here: beyond, the number means "at least". */
const maxCounted = 2_000;
const perPage = 100;

export const deviceRow = v.object({
  deviceId: v.id("devices"),
  name: v.string(),
  platform: v.string(),
  online: v.boolean(),
  /** Whether it takes jobs now. */
  accepting: v.boolean(),
  status: v.union(v.literal("active"), v.literal("retired")),
  activity: v.union(activity, v.null()),
  /** Since when it does that, or is retired. */
  since: v.number(),
  /** What it said that it cannot know about its computer; null: it said nothing. */
  unknownFacts: v.union(v.array(v.string()), v.null()),
  models: v.array(deviceModel),
  groups: v.array(v.string()),
  dataClasses: v.array(v.string()),
  /** Null until it has said hello for the first time. */
  capabilities: v.union(capabilities, v.null()),
  version: v.union(v.string(), v.null()),
  holding: v.number(),
  earnedMicro: v.int64(),
  lastChangeAt: v.number(),
});

type Listed = { readonly device: Doc<"devices">; readonly worker: WorkerView };

/**
 * An organization's devices as the console shows them, in the order in which they joined. Where there are more
 * than one page shows, those online come before those that are not; `deviceCount` says how many there are.
 */
export async function deviceRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof deviceRow>[]> {
  const online = await devicesOf(ctx, organizationId, true, maxListed);
  const devices = [...online, ...(await devicesOf(ctx, organizationId, false, maxListed - online.length))];
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
  const { online, accepting, groups, dataClasses, capabilities: able, version } = worker;
  const [held, balance] = await Promise.all([
    online ? ctx.runQuery(components.queue.work.held, { keyHash: device.keyHash }) : [],
    balanceOf(ctx, deviceAccount(device._id)),
  ]);
  return {
    deviceId: device._id,
    name: device.name,
    platform: device.platform,
    online,
    accepting,
    status: device.status,
    activity: device.activity,
    since: device.lastChangeAt,
    unknownFacts: device.unknownFacts ?? null,
    models,
    groups,
    dataClasses,
    capabilities: able,
    version,
    holding: held.length,
    earnedMicro: balance.micro,
    lastChangeAt: Math.max(device.lastChangeAt, worker.lastChangeAt),
  };
}

/** How many devices an organization has, and how many of them `deviceRows` lists. */
export async function deviceCount(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<{ total: number; listed: number }> {
  const devices = await ctx.db
    .query("devices")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(maxCounted);
  return { total: devices.length, listed: Math.min(devices.length, maxListed) };
}

/** How many of the devices that are online donate, as far as `deviceRows` would list them. */
export async function donatingCount(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<number> {
  const online = await devicesOf(ctx, organizationId, true, maxListed);
  return online.filter(({ device }) => device.status === "active" && device.activity?.kind === "donating")
    .length;
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
