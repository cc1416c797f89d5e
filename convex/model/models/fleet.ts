import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { fleetCountsOf } from "../fleet/counts.ts";
import { isOwnedBy, type Owners } from "../memberCalls.ts";
import { type DeviceModel, deviceModel } from "../validators/devices.ts";

/** Bounds the devices that are counted. In a larger fleet only the number of ready devices is of all of them. */
const maxCounted = 250;
const maxSearched = 1_000;
const maxListed = 300;

export const fleetCounts = v.object({
  /** The numbers, except of ready devices, are those of so many devices. Null: of all. */
  of: v.union(v.number(), v.null()),
  missing: v.number(),
  waiting: v.number(),
  downloading: v.number(),
  verifying: v.number(),
  ready: v.number(),
  corrupt: v.number(),
  /** Sum of the bytes on devices that still download it. */
  downloadedBytes: v.number(),
  /** Tokens per second: the median of the devices that measured it. */
  prefill: v.union(v.number(), v.null()),
  generate: v.union(v.number(), v.null()),
});

type FleetCounts = Infer<typeof fleetCounts>;

/** The models on an organization's devices, as the devices reported them. */
async function fleetOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  limit: number,
): Promise<Doc<"deviceModels">[]> {
  return await ctx.db
    .query("deviceModels")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(limit);
}

/** Counts of each model in the fleet, by its id. Devices that offer a model are counted by the fleet's own counts, too. */
export async function countFleet(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<ReadonlyMap<string, FleetCounts>> {
  const fleet = await fleetOf(ctx, organizationId, maxCounted);
  const byModel = new Map<string, DeviceModel[]>();
  for (const model of fleet.flatMap(({ models }) => models)) {
    byModel.set(model.modelId, [...(byModel.get(model.modelId) ?? []), model]);
  }
  const isAll = fleet.length < maxCounted;
  const counts = new Map(
    [...byModel].map(([modelId, models]) => [modelId, countOf(models, isAll ? null : maxCounted)] as const),
  );
  if (isAll) return counts;
  for (const { of, name, devices } of (await fleetCountsOf(ctx, organizationId)).facets) {
    if (of !== "model") continue;
    const found = counts.get(name) ?? countOf([], maxCounted);
    counts.set(name, { ...found, ready: Math.max(found.ready, devices) });
  }
  return counts;
}

/** Counts of one model; all are 0 without reports. */
export function countOf(models: readonly DeviceModel[], of: number | null): FleetCounts {
  const inState = (state: DeviceModel["state"]): number =>
    models.filter((model) => model.state === state).length;
  const speeds = models.flatMap(({ speed }) => speed ?? []);
  return {
    of,
    missing: inState("missing"),
    waiting: inState("waiting"),
    downloading: inState("downloading"),
    verifying: inState("verifying"),
    ready: inState("ready"),
    corrupt: inState("corrupt"),
    downloadedBytes: models.reduce((sum, { state, downloadedBytes = 0 }) => {
      return state === "downloading" || state === "waiting" ? sum + downloadedBytes : sum;
    }, 0),
    prefill: median(speeds.map(({ prefill }) => prefill)),
    generate: median(speeds.map(({ generate }) => generate)),
  };
}

function median(values: readonly number[]): number | null {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}

export const modelDeviceRow = v.object({
  deviceId: v.id("devices"),
  name: v.string(),
  model: deviceModel,
  reportedAt: v.number(),
});

/** The owners' devices that reported a model. Devices that are not ready with it come first. */
export async function devicesOfModel(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
  modelId: string,
): Promise<Infer<typeof modelDeviceRow>[]> {
  const reported = (await fleetOf(ctx, organizationId, maxSearched)).flatMap(
    ({ deviceId, models, reportedAt }) => {
      const model = models.find((each) => each.modelId === modelId);
      return model === undefined ? [] : [{ deviceId, model, reportedAt }];
    },
  );
  reported.sort((a, b) => Number(a.model.state === "ready") - Number(b.model.state === "ready"));
  const named = await Promise.all(
    reported.slice(0, maxListed).map(async (row) => {
      const device = await ctx.db.get("devices", row.deviceId);
      return device === null || !isOwnedBy(device, owners) ? [] : [{ ...row, name: device.name }];
    }),
  );
  return named.flat();
}
