import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { deviceStatus } from "../validators/devices.ts";

const maxListed = 100;
/** Counting stops here, so this count means "at least". */
const maxCounted = 1_000;

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

/** Some devices of a code that are not retired. */
export async function remainingOfCode(
  ctx: QueryCtx,
  codeId: Id<"enrolmentCodes">,
  limit: number,
): Promise<Doc<"devices">[]> {
  const active = await withStatus(ctx, codeId, "active", limit);
  return [...active, ...(await withStatus(ctx, codeId, "pending", limit - active.length))];
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
