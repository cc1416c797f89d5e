import type { Unreliability } from "../../../app/devices/reliability.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, actorName, record } from "../audit.ts";
import { relist } from "../fleet/listing.ts";
import { type ServiceChange, serviceStatusOf } from "../fleet/state.ts";
import { queue } from "../queue.ts";
import { refuse } from "../refuse.ts";
import { forgetModels } from "./report.ts";
import { rotateSecret } from "./sharing.ts";

/*
 * Takes devices into service, and out of it. A device that is not in service is paused in the queue, because the queue
 * never takes a retired worker back. A paused worker returns its jobs and gets no more.
 */

/** Takes a device out of service. Does nothing if it is retired already. */
export async function retire(ctx: MutationCtx, device: Doc<"devices">, by: Act): Promise<void> {
  if (await retireQuietly(ctx, device, "device.retired", by))
    await replaceSecret(ctx, device.organizationId, by.at);
}

/**
 * Retires several devices. They cost one new sharing secret for each organization, not one each.
 * @returns how many were not retired before
 */
export async function retireMany(
  ctx: MutationCtx,
  devices: readonly Doc<"devices">[],
  by: Act,
): Promise<number> {
  let retired = 0;
  const ofOrganization = new Set<Id<"organizations">>();
  for (const device of devices) {
    if (!(await retireQuietly(ctx, device, "device.retired", by))) continue;
    retired += 1;
    ofOrganization.add(device.organizationId);
  }
  for (const organizationId of ofOrganization) await replaceSecret(ctx, organizationId, by.at);
  return retired;
}

/** Retires a device at the wish of its person, who removes its key. Does nothing if it has left already. */
export async function leave(ctx: MutationCtx, device: Doc<"devices">, at: number): Promise<void> {
  if (device.leftAt !== undefined) return;
  const { _id: deviceId, organizationId, status } = device;
  const by = { actor: "device", at } as const;
  if (status !== "retired") await takeOut(ctx, device, by);
  await ctx.db.patch("devices", deviceId, { leftAt: at });
  await record(ctx, { organizationId, ...by, action: "device.left", subject: deviceId });
  if (status === "active") await replaceSecret(ctx, organizationId, at);
}

/**
 * Puts a retired device back into service. Does nothing for an active one. Refuses (conflict) a pending one, and one that
 * has left.
 */
export async function reinstate(ctx: MutationCtx, device: Doc<"devices">, by: Act): Promise<void> {
  if (device.status === "active") return;
  if (device.leftAt !== undefined) {
    refuse(
      "conflict",
      "Its user removed this device’s key when it left. It can only join again as a new device, with a new enrollment code.",
    );
  }
  if (device.status === "pending")
    refuse("conflict", "This device waits for approval. Approve or refuse it.");
  await takeIn(ctx, device, "device.reinstated", by);
}

/** Takes a pending device into service. Refuses (conflict) any other. */
export async function approve(ctx: MutationCtx, device: Doc<"devices">, by: Act): Promise<void> {
  checkPending(device);
  await takeIn(ctx, device, "device.approved", by);
}

/** Retires a pending device. It never had the sharing secret, so that stays. Refuses (conflict) any other device. */
export async function refuseDevice(ctx: MutationCtx, device: Doc<"devices">, by: Act): Promise<void> {
  checkPending(device);
  await retireQuietly(ctx, device, "device.refused", by);
}

function checkPending({ status }: Doc<"devices">): void {
  if (status !== "pending") refuse("conflict", "This device does not wait for approval anymore.");
}

async function takeIn(
  ctx: MutationCtx,
  device: Doc<"devices">,
  action: "device.reinstated" | "device.approved",
  by: Act,
): Promise<void> {
  const { _id: deviceId, organizationId } = device;
  await setService(ctx, device, { status: "active", pause: undefined, judgedFrom: by.at }, by);
  await record(ctx, { organizationId, ...by, action, subject: deviceId });
}

/** Pauses a device that failed too often, until an admin resumes it. `why`: for the audit trail. */
export async function pauseForFailures(
  ctx: MutationCtx,
  device: Doc<"devices">,
  found: Unreliability,
  why: string,
  at: number,
): Promise<void> {
  const by = { actor: "system", at } as const;
  await setService(ctx, device, { pause: { at, ...found } }, by);
  const { _id: subject, organizationId } = device;
  await record(ctx, { organizationId, ...by, action: "device.paused", subject, detail: why });
}

/** Resumes a paused device. Its earlier failures do not count anymore. Does nothing for one that is not paused. */
export async function resume(ctx: MutationCtx, device: Doc<"devices">, by: Act): Promise<void> {
  if (device.pause === undefined) return;
  await setService(ctx, device, { pause: undefined, judgedFrom: by.at }, by);
  const { _id: subject, organizationId } = device;
  await record(ctx, { organizationId, ...by, action: "device.resumed", subject });
}

/** Resumes a paused device after other devices failed at the same jobs. */
export async function resumeByItself(ctx: MutationCtx, device: Doc<"devices">, at: number): Promise<void> {
  const by = { actor: "system", at } as const;
  await setService(ctx, device, { pause: undefined }, by);
  const { _id: subject, organizationId } = device;
  const detail = "Other devices failed at the same jobs.";
  await record(ctx, { organizationId, ...by, action: "device.resumed", subject, detail });
}

/** Changes what keeps a device from jobs. Its worker is active if nothing does. */
export async function setService(
  ctx: MutationCtx,
  device: Doc<"devices">,
  change: ServiceChange,
  by: Act,
): Promise<void> {
  const { organizationId, workerId } = device;
  const next = { ...device, ...change };
  const isActive = serviceStatusOf(next) === "active";
  const keepsJobs = isActive && next.requestedPause !== undefined;
  const status = isActive && !keepsJobs ? "active" : "paused";
  await queue.workers.update(ctx, organizationId, {
    workerId,
    status,
    keepsJobs,
    actor: actorName(by.actor),
  });
  await ctx.db.patch("devices", device._id, { ...change, lastChangeAt: by.at });
  await relist(ctx, device._id);
}

/** Retires a device, but keeps the sharing secret. False if the device is retired already. */
async function retireQuietly(
  ctx: MutationCtx,
  device: Doc<"devices">,
  action: "device.retired" | "device.refused",
  by: Act,
): Promise<boolean> {
  const { _id: deviceId, organizationId, status } = device;
  if (status === "retired") return false;
  await takeOut(ctx, device, by);
  await record(ctx, { organizationId, ...by, action, subject: deviceId });
  return true;
}

/** Retires a device without an entry in the audit trail. The caller replaces the sharing secret. */
export async function takeOut(ctx: MutationCtx, device: Doc<"devices">, by: Act): Promise<void> {
  await setService(ctx, device, { status: "retired" }, by);
  await forgetModels(ctx, device._id);
}

/** A retired device knows the secret by which the other devices of its office recognize each other. */
export async function replaceSecret(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<void> {
  await rotateSecret(ctx, organizationId, "retired", now);
}
