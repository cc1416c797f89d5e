import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, laterActor } from "../audit.ts";
import { deviceStatus } from "../validators.ts";
import { retireMany } from "./service.ts";

const maxListed = 100;
/** Counting stops here, so this count means "at least". */
const maxCounted = 1_000;
const perBatch = 50;

/** How a device joined. Devices of earlier versions have neither a code nor an address. */
export const origin = {
  enrolledAt: v.number(),
  /** The code that admitted it. */
  enrolledBy: v.union(v.object({ codeId: v.id("enrolmentCodes"), label: v.string() }), v.null()),
  /** The IP address from which it enrolled; null if the backend did not know it. */
  enrolledFrom: v.union(v.string(), v.null()),
};

type Origin = Infer<ReturnType<typeof v.object<typeof origin>>>;

/** How a device joined. */
export async function originOf(
  ctx: QueryCtx,
  { enrolledAt, codeId, enrolledFrom }: Doc<"devices">,
): Promise<Origin> {
  const code = codeId === undefined ? null : await ctx.db.get("enrolmentCodes", codeId);
  return {
    enrolledAt,
    enrolledBy: code === null ? null : { codeId: code._id, label: visibleText(code.label) },
    enrolledFrom: enrolledFrom ?? null,
  };
}

export const arrivalRow = v.object({
  deviceId: v.id("devices"),
  name: v.string(),
  platform: v.string(),
  status: deviceStatus,
  ...origin,
});

async function arrivalOf(ctx: QueryCtx, device: Doc<"devices">): Promise<Infer<typeof arrivalRow>> {
  const { _id: deviceId, name, platform, status } = device;
  const shown = { name: visibleText(name), platform: visibleText(platform) };
  return { deviceId, ...shown, status, ...(await originOf(ctx, device)) };
}

/** The devices that wait for an admin's approval, oldest first, at most 100. */
export async function pendingDevices(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof arrivalRow>[]> {
  const pending = await ctx.db
    .query("devices")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("status", "pending"))
    .take(maxListed);
  return await Promise.all(pending.map((device) => arrivalOf(ctx, device)));
}

export const codeDevices = v.object({
  /** Numbers of devices by status; 1,000 means 1,000 or more. */
  pending: v.number(),
  active: v.number(),
  retired: v.number(),
  /** The newest of each status, pending devices first. */
  devices: v.array(arrivalRow),
});

/** The devices that a code admitted. */
export async function devicesOfCode(
  ctx: QueryCtx,
  codeId: Id<"enrolmentCodes">,
): Promise<Infer<typeof codeDevices>> {
  const [pending, active, retired] = await Promise.all([
    withStatus(ctx, codeId, "pending", maxCounted),
    withStatus(ctx, codeId, "active", maxCounted),
    withStatus(ctx, codeId, "retired", maxCounted),
  ]);
  const listed = [...pending, ...active, ...retired].slice(0, maxListed);
  return {
    pending: pending.length,
    active: active.length,
    retired: retired.length,
    devices: await Promise.all(listed.map((device) => arrivalOf(ctx, device))),
  };
}

/** The number of devices of a code that are not retired, at most 1,000. */
export async function remainingOfCode(ctx: QueryCtx, codeId: Id<"enrolmentCodes">): Promise<number> {
  const active = await withStatus(ctx, codeId, "active", maxCounted);
  const pending = await withStatus(ctx, codeId, "pending", maxCounted);
  return Math.min(maxCounted, active.length + pending.length);
}

/** Retires the next devices of a code. The others follow in scheduled batches. */
export async function retireBatchOfCode(
  ctx: MutationCtx,
  codeId: Id<"enrolmentCodes">,
  by: Act,
): Promise<void> {
  const active = await withStatus(ctx, codeId, "active", perBatch);
  const pending = await withStatus(ctx, codeId, "pending", perBatch - active.length);
  await retireMany(ctx, [...active, ...pending], by);
  if (active.length + pending.length === perBatch) {
    await ctx.scheduler.runAfter(0, internal.maintenance.retireDevicesOfCode, {
      codeId,
      ...(await laterActor(ctx, by)),
    });
  }
}

async function withStatus(
  ctx: QueryCtx,
  codeId: Id<"enrolmentCodes">,
  status: Doc<"devices">["status"],
  limit: number,
): Promise<Doc<"devices">[]> {
  return await ctx.db
    .query("devices")
    .withIndex("by_code", (q) => q.eq("codeId", codeId).eq("status", status))
    .order("desc")
    .take(limit);
}
