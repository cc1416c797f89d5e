import { isHeldBack } from "../../../app/models/rollout/device.ts";
import { rankOf } from "../../../app/models/rollout/stages.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";

/** Bounds the roll-outs of an organization that are not done: each device watches them. */
export const maxOpen = 20;

/** The roll-outs of an organization that may hold devices back. */
export async function openRollouts(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"modelRollouts">[]> {
  return await ctx.db
    .query("modelRollouts")
    .withIndex("by_open", (q) => q.eq("organizationId", organizationId).eq("isOpen", true))
    .take(maxOpen);
}

/** The last roll-out of a model, or null. */
export async function rolloutOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  modelId: string,
): Promise<Doc<"modelRollouts"> | null> {
  return await ctx.db
    .query("modelRollouts")
    .withIndex("by_model", (q) => q.eq("organizationId", organizationId).eq("modelId", modelId))
    .unique();
}

/** A device's row in a roll-out, or null. */
export async function rowOfDevice(
  ctx: QueryCtx,
  rolloutId: Id<"modelRollouts">,
  deviceId: Id<"devices">,
): Promise<Doc<"modelRolloutDevices"> | null> {
  return await ctx.db
    .query("modelRolloutDevices")
    .withIndex("by_device", (q) => q.eq("rolloutId", rolloutId).eq("deviceId", deviceId))
    .unique();
}

/** The counts of a roll-out, or null before the first. */
export async function countsOf(
  ctx: QueryCtx,
  rolloutId: Id<"modelRollouts">,
): Promise<Doc<"modelRolloutCounts"> | null> {
  return await ctx.db
    .query("modelRolloutCounts")
    .withIndex("by_rollout", (q) => q.eq("rolloutId", rolloutId))
    .unique();
}

/** The models that a device in service may not have yet, by name. It reads nothing of other devices. */
export async function heldBackFrom(
  ctx: QueryCtx,
  { _id: deviceId, organizationId, status }: Doc<"devices">,
): Promise<string[]> {
  const held: string[] = [];
  if (status !== "active") return held;
  for (const rollout of await openRollouts(ctx, organizationId)) {
    const { _id: rolloutId, modelId } = rollout;
    const rank = rankOf(modelId, deviceId);
    if (!isHeldBack(rollout, rank, { begun: false, had: false })) continue;
    const { begun = false, had = false } = (await rowOfDevice(ctx, rolloutId, deviceId)) ?? {};
    if (isHeldBack(rollout, rank, { begun, had })) held.push(modelId);
  }
  return held;
}
