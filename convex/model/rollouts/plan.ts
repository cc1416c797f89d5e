import { type Infer, v } from "convex/values";
import { allowsModel } from "../../../app/devices/limits.ts";
import { memoryNeed } from "../../../app/models/memory-need.ts";
import { type Candidate, planStages, rankOf } from "../../../app/models/rollout/stages.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { ActionCtx, MutationCtx, QueryCtx } from "../../_generated/server.js";
import { findModel } from "../models/catalog.ts";
import { asMutable } from "../mutable.ts";
import { queue } from "../queue.ts";
import type { DeviceModel } from "../validators/devices.ts";
import type { rolloutStage } from "../validators/models.ts";
import { noteReport } from "./track.ts";

/*
 * Once at its start, a roll-out looks at all devices, in small steps, and finds how far each stage goes. After that nobody
 * looks at all of them again.
 */

const perPage = 50;

const place = v.object({ online: v.boolean(), cursor: v.union(v.string(), v.null()) });

/** The next devices, those of them that have a part of the model, and the next page's cursor. */
export const candidatePage = v.object({
  candidates: v.array(v.object({ rank: v.number(), able: v.boolean() })),
  begun: v.array(v.id("devices")),
  cursor: v.union(v.string(), v.null()),
});

export const pagePlace = place;

/** Finds the devices of each stage. Everything that it does may be done twice. */
export async function planRollout(ctx: ActionCtx, rolloutId: Id<"modelRollouts">): Promise<void> {
  const { candidatesPage, noteBegun, startStages } = internal.rollouts;
  const candidates = new Map<number, Candidate>();
  // A device may come or go meanwhile, so the devices that are online are looked at once more. None counts twice.
  for (const online of [true, false, true]) {
    let cursor: string | null = null;
    do {
      const page: Infer<typeof candidatePage> = await ctx.runQuery(candidatesPage, {
        rolloutId,
        place: { online, cursor },
      });
      for (const one of page.candidates) if (!candidates.has(one.rank)) candidates.set(one.rank, one);
      if (page.begun.length > 0) await ctx.runMutation(noteBegun, { rolloutId, deviceIds: page.begun });
      ({ cursor } = page);
    } while (cursor !== null);
  }
  const sizes = await ctx.runQuery(internal.rollouts.sizes, { rolloutId });
  if (sizes === null) return;
  await ctx.runMutation(startStages, {
    rolloutId,
    stages: asMutable(planStages(sizes, [...candidates.values()])),
  });
}

export async function candidatesOf(
  ctx: QueryCtx,
  rolloutId: Id<"modelRollouts">,
  { online, cursor }: Infer<typeof place>,
): Promise<Infer<typeof candidatePage>> {
  const rollout = await ctx.db.get("modelRollouts", rolloutId);
  const model = rollout === null ? null : await findModel(ctx, rollout.organizationId, rollout.modelId);
  if (rollout === null || model === null) return { candidates: [], begun: [], cursor: null };
  const { organizationId, modelId } = rollout;
  const paginationOpts = { numItems: perPage, cursor };
  const page = await queue.workers.list(ctx, organizationId, { online, paginationOpts });
  const needed = memoryNeed({ ...model, contextBytesPerToken: 0 });
  const found = await Promise.all(
    page.page.map(async ({ externalId, capabilities }) => {
      const id = ctx.db.normalizeId("devices", externalId ?? "");
      const device = id === null ? null : await ctx.db.get("devices", id);
      if (device?.status !== "active" || !allowsModel(device.limits ?? {}, modelId)) return [];
      const memory = (capabilities?.memoryMb ?? 0) * 2 ** 20;
      const report = rollout.isNew ? undefined : await reportOf(ctx, device._id, modelId);
      const candidate = { rank: rankOf(modelId, device._id), able: online && memory >= needed };
      return [{ candidate, begun: report === undefined ? [] : [device._id] }];
    }),
  );
  const devices = found.flat();
  return {
    candidates: devices.map(({ candidate }) => candidate),
    begun: devices.flatMap(({ begun }) => begun),
    cursor: page.isDone ? null : page.continueCursor,
  };
}

/** The last report of a device about a model. */
export async function reportOf(
  ctx: QueryCtx,
  deviceId: Id<"devices">,
  modelId: string,
): Promise<DeviceModel | undefined> {
  const row = await ctx.db
    .query("deviceModels")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .unique();
  return row?.models.find((model) => model.modelId === modelId);
}

/** Notes the devices that have a part of the model: a roll-out never takes it from them without being asked to. */
export async function noteHad(
  ctx: MutationCtx,
  rolloutId: Id<"modelRollouts">,
  deviceIds: readonly Id<"devices">[],
): Promise<void> {
  const rollout = await ctx.db.get("modelRollouts", rolloutId);
  if (rollout?.state !== "planning") return;
  for (const deviceId of deviceIds) {
    await noteReport(ctx, rollout, deviceId, await reportOf(ctx, deviceId, rollout.modelId));
  }
}

/** Begins the first stage of a planned roll-out. */
export async function beginStages(
  ctx: MutationCtx,
  rolloutId: Id<"modelRollouts">,
  stages: Infer<typeof rolloutStage>[],
  now: number,
): Promise<void> {
  const rollout: Doc<"modelRollouts"> | null = await ctx.db.get("modelRollouts", rolloutId);
  if (rollout?.state !== "planning") return;
  await ctx.db.patch("modelRollouts", rolloutId, { state: "running", stages, stage: 0, stageAt: now });
}
