import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, actorName, record } from "../audit.ts";
import { components } from "../components.ts";
import { refuse } from "../refuse.ts";
import { setService } from "./service.ts";

/** How often a device is asked whether it has finished its jobs. */
const finishEveryMs = 5_000;
const longestMs = 366 * 24 * 3_600_000;

export type PauseWish = {
  /** Null: until somebody ends it. ms epoch. */
  readonly until: number | null;
  /** Whether the device finishes its jobs first. */
  readonly finish: boolean;
  /** Whether the member may pause any device. */
  readonly ofOrganization: boolean;
};

/**
 * Pauses a device for a person, in place of an earlier such pause. Refuses: conflict (it is not in service, or the organization
 * paused it), invalid.
 */
export async function pauseOnRequest(
  ctx: MutationCtx,
  device: Doc<"devices">,
  wish: PauseWish,
  by: Act,
): Promise<void> {
  const { until } = wish;
  if (until !== null && !(until > by.at && until <= by.at + longestMs))
    refuse("invalid", "A pause ends within a year from now.");
  if (device.status !== "active") refuse("conflict", "This device is not in service.");
  if (device.requestedPause?.ofOrganization === true && !wish.ofOrganization)
    refuse("conflict", "Your organization has paused this device already.");
  await pauseQuietly(ctx, device, wish, by);
  const { _id: subject, organizationId } = device;
  const detail = until === null ? "until somebody ends it" : `until ${new Date(until).toISOString()}`;
  await record(ctx, { organizationId, ...by, action: "device.pause-asked", subject, detail });
}

/** The same without its checks and without an entry in the audit trail. */
export async function pauseQuietly(
  ctx: MutationCtx,
  device: Doc<"devices">,
  { until, finish, ofOrganization }: PauseWish,
  by: Act,
): Promise<void> {
  const { at } = by;
  const finishing = finish && (await hasJobs(ctx, device));
  const requestedPause = { at, until, by: actorName(by.actor), ofOrganization, finishing };
  await setService(ctx, device, { requestedPause }, by);
  const which = { deviceId: device._id, at };
  if (until !== null) await ctx.scheduler.runAt(until, internal.maintenance.endPause, which);
  if (finishing) await ctx.scheduler.runAfter(finishEveryMs, internal.maintenance.pauseFinished, which);
}

/** Ends the pause that a person asked for. Does nothing without one. Refuses: forbidden. */
export async function endRequestedPause(
  ctx: MutationCtx,
  device: Doc<"devices">,
  mayEndAny: boolean,
  by: Act,
): Promise<void> {
  if (device.requestedPause === undefined) return;
  if (device.requestedPause.ofOrganization && !mayEndAny)
    refuse("forbidden", "Your organization paused this device. Ask an administrator to resume it.");
  await setService(ctx, device, { requestedPause: undefined }, by);
  const { _id: subject, organizationId } = device;
  await record(ctx, { organizationId, ...by, action: "device.pause-ended", subject });
}

/** @param at when the pause began. A later pause has its own end. */
export async function endPauseAtItsTime(
  ctx: MutationCtx,
  deviceId: Id<"devices">,
  at: number,
): Promise<void> {
  const device = await pausedSince(ctx, deviceId, at);
  if (device !== null) await endRequestedPause(ctx, device, true, { actor: "system", at: Date.now() });
}

/** Tells a device of its pause once it has finished its jobs. */
export async function pauseIfFinished(ctx: MutationCtx, deviceId: Id<"devices">, at: number): Promise<void> {
  const device = await pausedSince(ctx, deviceId, at);
  if (device?.requestedPause?.finishing !== true) return;
  if (await hasJobs(ctx, device)) {
    await ctx.scheduler.runAfter(finishEveryMs, internal.maintenance.pauseFinished, { deviceId, at });
    return;
  }
  const requestedPause = { ...device.requestedPause, finishing: false };
  await setService(ctx, device, { requestedPause }, { actor: "system", at: Date.now() });
}

/** The pause as its device is told of it. */
export function toldPause({ requestedPause }: Doc<"devices">): { readonly until: number | null } | null {
  return requestedPause === undefined ? null : { until: requestedPause.until };
}

async function pausedSince(
  ctx: MutationCtx,
  deviceId: Id<"devices">,
  at: number,
): Promise<Doc<"devices"> | null> {
  const device = await ctx.db.get("devices", deviceId);
  return device?.requestedPause?.at === at ? device : null;
}

async function hasJobs(ctx: MutationCtx, { keyHash }: Doc<"devices">): Promise<boolean> {
  return (await ctx.runQuery(components.queue.work.held, { keyHash })).length > 0;
}
