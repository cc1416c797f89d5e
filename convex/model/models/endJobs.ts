import { offerWords } from "../../../app/models/offer.ts";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { catalogOf, findModel } from "./catalog.ts";

/** A running job may come back to the queue, so the lanes are looked at again: after 10 s, then after four times as long. */
const firstLookMs = 10_000;
const growth = 4;
/** Later looks would find nothing: no device holds a job for so long. */
const lastLookMs = 12 * 3_600_000;

/** Ends the jobs that wait for a retired model, and tells their requesters which models there are. Running jobs may finish. */
export async function endJobsOfModel(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  modelId: string,
  nextMs: number = firstLookMs,
): Promise<void> {
  const [model, lanes, offered] = await Promise.all([
    findModel(ctx, organizationId, modelId),
    queue.lanes.list(ctx, organizationId),
    catalogOf(ctx, organizationId),
  ]);
  if (model?.enabled !== false) return;
  const error = {
    code: "model_retired",
    message: `Your organization retired the model ${modelId}. ${offerWords(offered)}`,
  };
  for (const { laneId, requirements } of lanes) {
    if (requirements.model !== modelId) continue;
    await queue.cancelMany(ctx, organizationId, { by: "lane", name: laneId, running: false, error });
  }
  if (nextMs > lastLookMs) return;
  const next = { organizationId, modelId, nextMs: nextMs * growth };
  await ctx.scheduler.runAfter(nextMs, internal.maintenance.endJobsOfModel, next);
}
