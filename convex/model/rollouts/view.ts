import { type PaginationOptions, type PaginationResult } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { isOwnedBy, type Owners } from "../memberCalls.ts";
import { rolloutPace, rolloutPlace, rolloutStage, rolloutState, stageCounts } from "../validators/models.ts";
import { countsOf, openRollouts } from "./find.ts";

/** A roll-out that is not done, with its counts. */
export const rolloutRow = v.object({
  modelId: v.string(),
  /** The model was added with it. */
  isNew: v.boolean(),
  state: rolloutState,
  stages: v.array(rolloutStage),
  stage: v.number(),
  stageAt: v.number(),
  pace: rolloutPace,
  /** Why it stopped by itself. */
  why: v.union(v.string(), v.null()),
  /** Before the last act, if it can be undone. */
  previous: v.union(rolloutPlace, v.null()),
  accepted: v.number(),
  startedAt: v.number(),
  /** By stage. Earlier stages are not part of later ones. */
  byStage: v.array(stageCounts),
  reasons: v.array(v.object({ why: v.string(), devices: v.number() })),
});

/** The roll-outs that are not done. Their counts change every few seconds at most, however many devices report. */
export async function rolloutRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof rolloutRow>[]> {
  const open = await openRollouts(ctx, organizationId);
  return await Promise.all(
    open.map(async (rollout) => {
      const { modelId, isNew, state, stages, stage, stageAt, pace, why, previous, accepted, startedAt } =
        rollout;
      const counts = await countsOf(ctx, rollout._id);
      return {
        modelId,
        isNew,
        state,
        stages,
        stage,
        stageAt,
        pace,
        why: why ?? null,
        previous: previous ?? null,
        accepted,
        startedAt,
        byStage: counts?.byStage ?? [],
        reasons: counts?.reasons ?? [],
      };
    }),
  );
}

/** A device on which a roll-out's model failed. */
export const failedDevice = v.object({ deviceId: v.id("devices"), name: v.string(), why: v.string() });

const perPage = 50;

export async function failedDevices(
  ctx: QueryCtx,
  { _id: rolloutId }: Doc<"modelRollouts">,
  owners: Owners,
  { cursor, numItems }: PaginationOptions,
): Promise<PaginationResult<Infer<typeof failedDevice>>> {
  const page = await ctx.db
    .query("modelRolloutDevices")
    .withIndex("by_state", (q) => q.eq("rolloutId", rolloutId).eq("state", "failed"))
    .paginate({ cursor, numItems: Math.min(Math.max(numItems, 1), perPage) });
  const named = await Promise.all(
    page.page.map(async ({ deviceId, why = "" }) => {
      const device = await ctx.db.get("devices", deviceId);
      return device === null || !isOwnedBy(device, owners) ? [] : [{ deviceId, name: device.name, why }];
    }),
  );
  return { ...page, page: named.flat() };
}
