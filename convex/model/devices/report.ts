import type { Infer } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { boundedInteger, boundedText, refuse } from "../refuse.ts";
import type { deviceModel } from "../validators.ts";

export type DeviceModel = Infer<typeof deviceModel>;

const bounds = { models: 200, idChars: 200, whyChars: 200, backendChars: 40, tokensPerSecond: 1_000_000 };

/** Bytes that came in are no transition: a device that tells of them more often than this is not listened to. */
const progressEveryMs = 25_000;

/** What a device says of the models on it. Writes on transitions, and now and then while something comes in. */
export async function reportModels(
  ctx: MutationCtx,
  device: Doc<"devices">,
  told: readonly DeviceModel[],
  now: number,
): Promise<void> {
  if (device.status === "retired") return;
  const models = checked(told);
  const found = await modelsRow(ctx, device._id);
  if (found === null) {
    const { _id: deviceId, organizationId } = device;
    await ctx.db.insert("deviceModels", { organizationId, deviceId, models, reportedAt: now });
    return;
  }
  if (JSON.stringify(found.models) === JSON.stringify(models)) return;
  const isProgress = JSON.stringify(withoutBytes(found.models)) === JSON.stringify(withoutBytes(models));
  if (isProgress && now - found.reportedAt < progressEveryMs) return;
  await ctx.db.patch("deviceModels", found._id, { models, reportedAt: now });
}

/** Forgets what a device said of its models: it is out of service. */
export async function forgetModels(ctx: MutationCtx, deviceId: Id<"devices">): Promise<void> {
  const found = await modelsRow(ctx, deviceId);
  if (found !== null) await ctx.db.delete("deviceModels", found._id);
}

async function modelsRow(ctx: QueryCtx, deviceId: Id<"devices">): Promise<Doc<"deviceModels"> | null> {
  return await ctx.db
    .query("deviceModels")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .unique();
}

/** Bounded, each model once, in the order of their names and with the fields in one order: so that they compare. */
function checked(told: readonly DeviceModel[]): DeviceModel[] {
  if (told.length > bounds.models) refuse("invalid", "These are more models than a device can have.");
  const models = told.map(({ modelId, state, downloadedBytes, why, speed }): DeviceModel => ({
    modelId: boundedText(modelId, "modelId", bounds.idChars),
    state,
    ...(downloadedBytes === undefined
      ? {}
      : { downloadedBytes: boundedInteger(downloadedBytes, "downloadedBytes", 0, Number.MAX_SAFE_INTEGER) }),
    ...(why === undefined ? {} : { why: boundedText(why, "why", bounds.whyChars) }),
    ...(speed === undefined
      ? {}
      : {
          speed: {
            prefill: boundedSpeed(speed.prefill),
            generate: boundedSpeed(speed.generate),
            backend: boundedText(speed.backend, "backend", bounds.backendChars),
          },
        }),
  }));
  const byId = new Map(models.map((model) => [model.modelId, model] as const));
  return [...byId.values()].sort((a, b) => (a.modelId < b.modelId ? -1 : 1));
}

/** One decimal is enough to compare devices, and keeps noise from being a change. */
function boundedSpeed(tokensPerSecond: number): number {
  if (!(tokensPerSecond >= 0 && tokensPerSecond <= bounds.tokensPerSecond)) {
    refuse("invalid", "A speed is out of bounds.");
  }
  return Math.round(tokensPerSecond * 10) / 10;
}

function withoutBytes(models: readonly DeviceModel[]): unknown {
  return models.map(({ downloadedBytes: _bytes, ...rest }) => rest);
}
