import { bulkAfter, effectOf } from "../../../../app/devices/bulk.ts";
import { internal } from "../../../_generated/api.js";
import type { Doc, Id } from "../../../_generated/dataModel.js";
import type { MutationCtx } from "../../../_generated/server.js";
import { type Act, callerAddress, record } from "../../audit.ts";
import { reopenCode, revokeCode } from "../../devices/enrollmentCodes.ts";
import { setGroups } from "../../devices/labels.ts";
import { pauseQuietly } from "../../devices/pauses.ts";
import { replaceSecret, setService, takeOut } from "../../devices/service.ts";
import { askVersion } from "../../devices/versions.ts";
import { refuse } from "../../refuse.ts";
import { addLateBatch, codeOf, factsOf } from "./find.ts";

type Bulk = Doc<"bulkActs">;
type Target = Doc<"bulkBatches">["targets"][number];

/** The member who starts or undoes an act. The trail names them. */
type Caller = {
  readonly member: Doc<"members">;
  readonly session: Doc<"sessions">;
  readonly by: Act;
  readonly at: number;
};

/**
 * Starts an act whose devices were found. If it retires the devices of an enrollment code, it revokes the code, so that no
 * more join meanwhile. Refuses: conflict.
 */
export async function runBulk(ctx: MutationCtx, bulk: Bulk, caller: Caller): Promise<void> {
  if (bulk.state !== "found") refuse("conflict", "This change was started already.");
  await begin(ctx, bulk, caller, { state: "running", actedAt: caller.at });
  const code = await retiredCode(ctx, bulk);
  if (code !== null) await revokeCode(ctx, code, caller.by);
}

/** Restores the devices that an act changed, and the code that it revoked. Refuses: conflict. */
export async function undoBulk(ctx: MutationCtx, bulk: Bulk, caller: Caller): Promise<void> {
  if (bulk.state !== "done") refuse("conflict", "Only a finished change can be undone, and only once.");
  await begin(ctx, bulk, caller, { state: "undoing" });
  const code = await retiredCode(ctx, bulk);
  if (code !== null) await reopenCode(ctx, code, bulk.actedAt, caller.by);
}

async function retiredCode(ctx: MutationCtx, bulk: Bulk): Promise<Doc<"enrolmentCodes"> | null> {
  return bulk.act.kind === "retire" ? await codeOf(ctx, bulk) : null;
}

async function begin(
  ctx: MutationCtx,
  { _id: bulkId }: Bulk,
  { member, session }: Caller,
  change: Partial<Bulk>,
): Promise<void> {
  await ctx.db.patch("bulkActs", bulkId, {
    ...change,
    done: 0,
    memberId: member._id,
    sessionId: session._id,
    address: await callerAddress(ctx),
  });
  await ctx.scheduler.runAfter(0, internal.maintenance.applyBulk, { bulkId, index: 0 });
}

/** Changes or restores the devices of one batch. The last one writes the act's one entry in the audit trail. */
export async function applyBatch(
  ctx: MutationCtx,
  bulkId: Id<"bulkActs">,
  index: number,
  now: number,
): Promise<void> {
  const bulk = await ctx.db.get("bulkActs", bulkId);
  if (bulk === null || (bulk.state !== "running" && bulk.state !== "undoing")) return;
  const { memberId, sessionId, address, actedAt: at = now } = bulk;
  const actor = { memberId, sessionId };
  const batch = await ctx.db
    .query("bulkBatches")
    .withIndex("by_act", (q) => q.eq("bulkId", bulkId).eq("index", index))
    .unique();
  if (batch === null) {
    if (bulk.state === "running" && bulk.act.kind === "retire" && (await addLateBatch(ctx, bulk))) {
      await ctx.scheduler.runAfter(0, internal.maintenance.applyBulk, { bulkId, index });
      return;
    }
    await finish(ctx, bulk, { actor, address, at: now });
    return;
  }
  let done = 0;
  const targets: Target[] = [];
  for (const target of batch.targets) {
    const device = await ctx.db.get("devices", target.deviceId);
    const did =
      device !== null &&
      (bulk.state === "running"
        ? await change(ctx, bulk, device, { actor, address, at })
        : target.did && (await restore(ctx, bulk, { device, target }, { actor, address, at: now })));
    if (did) done += 1;
    targets.push(bulk.state === "running" ? { ...target, did } : target);
  }
  if (bulk.state === "running") await ctx.db.patch("bulkBatches", batch._id, { targets });
  await ctx.db.patch("bulkActs", bulkId, { done: bulk.done + done });
  await ctx.scheduler.runAfter(0, internal.maintenance.applyBulk, { bulkId, index: index + 1 });
}

/** Changes a device as the act says, unless it has changed since the preview. */
async function change(ctx: MutationCtx, { act }: Bulk, device: Doc<"devices">, by: Act): Promise<boolean> {
  if (effectOf(act, await factsOf(ctx, device, act)) !== "changes") return false;
  switch (act.kind) {
    case "pause":
    case "drain": {
      const wish = { until: null, finish: act.kind === "drain", ofOrganization: true };
      await pauseQuietly(ctx, device, wish, by);
      return true;
    }
    case "resume":
      await setService(ctx, device, { requestedPause: undefined, pause: undefined, judgedFrom: by.at }, by);
      return true;
    case "group":
      await setGroups(ctx, device, { groups: act.group === "" ? [] : [act.group], placedBy: "hand" }, by);
      return true;
    case "update":
      await askVersion(ctx, device._id, { version: act.version ?? "", at: by.at });
      return true;
    case "retire":
      await takeOut(ctx, device, by);
      return true;
  }
}

/** Restores a device, unless somebody has changed it since. */
async function restore(
  ctx: MutationCtx,
  { act, actedAt }: Bulk,
  { device, target }: { readonly device: Doc<"devices">; readonly target: Target },
  by: Act,
): Promise<boolean> {
  const { requestedPause, pause, groups, placedBy, askedVersion } = target;
  switch (act.kind) {
    case "pause":
    case "drain":
      if (device.requestedPause?.at !== actedAt) return false;
      await setService(ctx, device, { requestedPause: undefined }, by);
      return true;
    case "resume":
      if (device.status !== "active" || device.requestedPause !== undefined || device.pause !== undefined)
        return false;
      if (requestedPause !== undefined && isOver(requestedPause.until, by.at)) return false;
      await setService(ctx, device, { requestedPause, pause }, by);
      return true;
    case "group":
      if (effectOf(act, await factsOf(ctx, device, act)) !== "same") return false;
      await setGroups(ctx, device, { groups, placedBy }, by);
      return true;
    case "update":
      if (device.askedVersion?.at !== actedAt) return false;
      await askVersion(ctx, device._id, askedVersion);
      return true;
    case "retire":
      // A device that has left has no key anymore.
      if (device.status !== "retired" || device.leftAt !== undefined) return false;
      await setService(ctx, device, { status: target.status ?? "active" }, by);
      return true;
  }
}

function isOver(until: number | null, now: number): boolean {
  return until !== null && until <= now;
}

async function finish(ctx: MutationCtx, bulk: Bulk, by: Act): Promise<void> {
  const { _id: bulkId, organizationId, act, counts, before, done } = bulk;
  const isUndo = bulk.state === "undoing";
  await ctx.db.patch("bulkActs", bulkId, { state: isUndo ? "undone" : "done" });
  if (act.kind === "retire" && !isUndo && done > 0) await replaceSecret(ctx, organizationId, by.at);
  if (act.kind === "group")
    await ctx.scheduler.runAfter(0, internal.fleet.steps.countFleet, { organizationId });
  const was = before.map(({ words, devices }) => `${String(devices)} ${words}`);
  const all = counts.changes + counts.same + counts.cannot;
  const [from, to] = isUndo ? [bulkAfter(act), was.join(", ")] : [was.join(", "), bulkAfter(act)];
  await record(ctx, {
    organizationId,
    ...by,
    action: isUndo ? "devices.change-undone" : "devices.changed",
    subject: bulkId,
    detail: `${String(done)} of ${String(all)} devices: ${from} → ${to}`,
  });
}
