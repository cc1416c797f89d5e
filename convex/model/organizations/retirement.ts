import { type Infer, v } from "convex/values";
import { defaultAlias } from "../../../app/models/aliases.ts";
import { countedSum, noneCounted } from "../../../app/statistics/counted.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { fleetCountsOf } from "../fleet/counts.ts";
import { aliasesOf } from "../models/aliases.ts";
import { countedJobs, queueDepthOf } from "./queueDepth.ts";

/** The things that a model's retirement changes. */
export const retirementImpact = v.object({
  /** Jobs that end with an error. */
  waiting: countedJobs,
  /** Jobs that finish. */
  running: countedJobs,
  /** Requests that name no model ask for this one. */
  isDefault: v.boolean(),
  /** Its aliases. */
  aliases: v.array(v.string()),
  /** Devices that are ready with it. In a large fleet as of the last minute. */
  devices: v.number(),
});

export async function impactOfRetirement(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  modelId: string,
): Promise<Infer<typeof retirementImpact>> {
  const [{ lanes }, aliases, { facets }] = await Promise.all([
    queueDepthOf(ctx, organizationId),
    aliasesOf(ctx, organizationId),
    fleetCountsOf(ctx, organizationId),
  ]);
  const own = lanes.filter(({ requirements }) => requirements.model === modelId);
  const names = aliases.filter((alias) => alias.modelId === modelId).map(({ alias }) => alias);
  return {
    waiting: own.flatMap(({ ready, waiting }) => [ready, waiting]).reduce(countedSum, noneCounted),
    running: own.map(({ running }) => running).reduce(countedSum, noneCounted),
    isDefault: names.includes(defaultAlias),
    aliases: names.filter((name) => name !== defaultAlias),
    devices: facets.find(({ of, name }) => of === "model" && name === modelId)?.devices ?? 0,
  };
}
