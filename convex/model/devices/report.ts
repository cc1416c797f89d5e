import type { Infer } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { relist } from "../fleet/listing.ts";
import { boundedInteger, refuse, reportedText } from "../refuse.ts";
import { noteModels } from "../rollouts/track.ts";
import type { activity, DeviceModel } from "../validators/devices.ts";

const maxFacts = 50;
const maxFactChars = 60;

type Report = {
  readonly activity: Infer<typeof activity>;
  readonly unknownFacts?: readonly string[];
  readonly rolledBackVersion?: string;
};

/**
 * Stores what a device reports about itself. It writes on transitions only, because the console subscribes to the row. A report
 * without facts leaves the stored ones. One without a version that was rolled back clears that.
 */
export async function reportActivity(
  ctx: MutationCtx,
  device: Doc<"devices">,
  { activity: current, unknownFacts: reported, rolledBackVersion }: Report,
  now: number,
): Promise<void> {
  const isNews = device.activity?.kind !== current.kind || device.activity.reason !== current.reason;
  const unknownFacts = reported === undefined ? device.unknownFacts : factNames(reported);
  const isNewFact = JSON.stringify(unknownFacts) !== JSON.stringify(device.unknownFacts);
  const isNewRollBack = rolledBackVersion !== device.rolledBackVersion;
  if (!isNews && !isNewFact && !isNewRollBack) return;
  await ctx.db.patch("devices", device._id, {
    ...(isNews ? { activity: current, lastChangeAt: now } : {}),
    ...(isNewFact ? { unknownFacts } : {}),
    ...(isNewRollBack ? { rolledBackVersion } : {}),
  });
  if (isNews || isNewRollBack) await relist(ctx, device._id);
}

function factNames(names: readonly string[]): string[] {
  if (names.length > maxFacts) refuse("invalid", "There are too many facts.");
  return [...new Set(names.map((name) => reportedText(name, "A fact", maxFactChars)))].sort();
}

/** Clears the activity of a device whose program has ended. */
export async function endActivity(ctx: MutationCtx, device: Doc<"devices">, now: number): Promise<void> {
  if (device.activity !== null)
    await ctx.db.patch("devices", device._id, { activity: null, lastChangeAt: now });
  await relist(ctx, device._id);
}

const bounds = { models: 200, idChars: 200, whyChars: 200, backendChars: 40, tokensPerSecond: 1_000_000 };

/** Download progress is written at most this often, since it is no transition. */
const progressEveryMs = 25_000;

/** Stores the state of the models on a device. It writes on transitions, and now and then during a download. */
export async function reportModels(
  ctx: MutationCtx,
  device: Doc<"devices">,
  reported: readonly DeviceModel[],
  now: number,
): Promise<void> {
  if (device.status !== "active") return;
  const models = checkedModels(reported);
  const found = await modelsRow(ctx, device._id);
  if (found === null) {
    const { _id: deviceId, organizationId } = device;
    await ctx.db.insert("deviceModels", { organizationId, deviceId, models, reportedAt: now });
    await noteModels(ctx, device, [], models);
    return;
  }
  if (JSON.stringify(found.models) === JSON.stringify(models)) return;
  const isProgress = JSON.stringify(withoutBytes(found.models)) === JSON.stringify(withoutBytes(models));
  if (isProgress && now - found.reportedAt < progressEveryMs) return;
  await ctx.db.patch("deviceModels", found._id, { models, reportedAt: now });
  await noteModels(ctx, device, found.models, models);
}

/** Deletes the models of a device that is out of service. */
export async function forgetModels(ctx: MutationCtx, deviceId: Id<"devices">): Promise<void> {
  const found = await modelsRow(ctx, deviceId);
  if (found === null) return;
  await ctx.db.delete("deviceModels", found._id);
  await noteModels(ctx, { _id: deviceId, organizationId: found.organizationId }, found.models, []);
}

/** The models on a device, as it last reported them. */
export async function modelsOfDevice(ctx: QueryCtx, deviceId: Id<"devices">): Promise<DeviceModel[]> {
  return (await modelsRow(ctx, deviceId))?.models ?? [];
}

async function modelsRow(ctx: QueryCtx, deviceId: Id<"devices">): Promise<Doc<"deviceModels"> | null> {
  return await ctx.db
    .query("deviceModels")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .unique();
}

/** Bounds the models and puts them, without duplicates, in one order, so that two reports can be compared. */
function checkedModels(reported: readonly DeviceModel[]): DeviceModel[] {
  if (reported.length > bounds.models) refuse("invalid", "There are too many models.");
  const models = reported.map(({ modelId, state, downloadedBytes, why, speed }): DeviceModel => ({
    modelId: reportedText(modelId, "modelId", bounds.idChars),
    state,
    ...(downloadedBytes === undefined
      ? {}
      : { downloadedBytes: boundedInteger(downloadedBytes, "downloadedBytes", 0, Number.MAX_SAFE_INTEGER) }),
    ...(why === undefined ? {} : { why: reportedText(why, "why", bounds.whyChars) }),
    ...(speed === undefined
      ? {}
      : {
          speed: {
            prefill: boundedSpeed(speed.prefill),
            generate: boundedSpeed(speed.generate),
            backend: reportedText(speed.backend, "backend", bounds.backendChars),
          },
        }),
  }));
  const byId = new Map(models.map((model) => [model.modelId, model] as const));
  return [...byId.values()].sort((a, b) => (a.modelId < b.modelId ? -1 : 1));
}

/** Rounds to one decimal: enough to compare devices, and noise causes no writes. */
function boundedSpeed(tokensPerSecond: number): number {
  if (!(tokensPerSecond >= 0 && tokensPerSecond <= bounds.tokensPerSecond)) {
    refuse("invalid", "A speed is out of bounds.");
  }
  return Math.round(tokensPerSecond * 10) / 10;
}

function withoutBytes(models: readonly DeviceModel[]): unknown {
  return models.map(({ downloadedBytes: _bytes, ...rest }) => rest);
}
