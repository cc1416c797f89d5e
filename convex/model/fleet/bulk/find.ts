import { type BulkAct, bulkBefore, type BulkFacts, effectOf } from "../../../../app/devices/bulk.ts";
import { internal } from "../../../_generated/api.js";
import type { Doc, Id } from "../../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../../_generated/server.js";
import { remainingOfCode } from "../../devices/arrivals.ts";
import { checkVersion } from "../../devices/versions.ts";
import { listingOf } from "../listing.ts";
import { checkFilters, listingPage } from "../listingPage.ts";
import { groupName } from "../placement.ts";

/*
 * An act on many devices first finds them, for its preview, and keeps what each was before. Then it changes exactly those
 * (apply.ts). Each step is a small scheduled mutation, so a restart loses nothing.
 */

const perBatch = 25;
/** More are chosen by a filter. */
export const maxChosen = 500;
const maxWords = 20;
const keptMs = 7 * 24 * 3_600_000;

type Bulk = Doc<"bulkActs">;
type Target = Doc<"bulkBatches">["targets"][number];

/** Begins to find the devices of an act. The caller has checked that chosen ones are the member's. Refuses: invalid. */
export async function prepareBulk(
  ctx: MutationCtx,
  { member, session }: { readonly member: Doc<"members">; readonly session: Doc<"sessions"> },
  { act, chosen }: { readonly act: BulkAct; readonly chosen: Bulk["chosen"] },
  now: number,
): Promise<Id<"bulkActs">> {
  if ("filters" in chosen) checkFilters(chosen.filters);
  const { kind, version = "" } = act;
  const group = kind === "group" && act.group.trim() !== "" ? groupName(act.group) : "";
  if (kind === "update") checkVersion(version);
  const bulkId = await ctx.db.insert("bulkActs", {
    organizationId: member.organizationId,
    memberId: member._id,
    sessionId: session._id,
    act: { kind, group, ...(kind === "update" ? { version } : {}) },
    chosen,
    state: "finding",
    counts: { changes: 0, same: 0, cannot: 0 },
    before: [],
    batches: 0,
    done: 0,
    createdAt: now,
  });
  await ctx.scheduler.runAfter(0, internal.maintenance.findBulk, { bulkId, cursor: null });
  await ctx.scheduler.runAfter(keptMs, internal.maintenance.forgetBulk, { bulkId });
  return bulkId;
}

/** Finds the next devices of an act. */
export async function findBatch(
  ctx: MutationCtx,
  bulkId: Id<"bulkActs">,
  cursor: string | null,
): Promise<void> {
  const bulk = await ctx.db.get("bulkActs", bulkId);
  if (bulk?.state !== "finding") return;
  const { devices, next } = await nextDevices(ctx, bulk, cursor);
  await addTargets(ctx, bulk, devices);
  if (next === null) await ctx.db.patch("bulkActs", bulkId, { state: "found" });
  else await ctx.scheduler.runAfter(0, internal.maintenance.findBulk, { bulkId, cursor: next });
}

/** Devices may join by a code after the act's preview. Adds the next of them as a batch. False if no device is left. */
export async function addLateBatch(ctx: MutationCtx, bulk: Bulk): Promise<boolean> {
  if (!("codeId" in bulk.chosen)) return false;
  const devices = await remainingOfCode(ctx, bulk.chosen.codeId, perBatch);
  await addTargets(ctx, bulk, devices);
  return devices.length > 0;
}

/** Adds devices to an act, as its next batch. */
async function addTargets(ctx: MutationCtx, bulk: Bulk, devices: readonly Doc<"devices">[]): Promise<void> {
  if (devices.length === 0) return;
  const { _id: bulkId } = bulk;
  const counts = { ...bulk.counts };
  const before = new Map(bulk.before.map(({ words, devices }) => [words, devices]));
  const targets: Target[] = [];
  for (const device of devices) {
    const facts = await factsOf(ctx, device, bulk.act);
    const effect = effectOf(bulk.act, facts);
    counts[effect] += 1;
    if (effect === "changes") count(before, bulkBefore(bulk.act, facts));
    const { _id: deviceId, status, groups = [], placedBy, requestedPause, pause, askedVersion } = device;
    targets.push({
      deviceId,
      effect,
      did: false,
      status,
      groups,
      ...(placedBy === undefined ? {} : { placedBy }),
      ...(requestedPause === undefined ? {} : { requestedPause }),
      ...(pause === undefined ? {} : { pause }),
      ...(askedVersion === undefined ? {} : { askedVersion }),
    });
  }
  await ctx.db.insert("bulkBatches", { bulkId, index: bulk.batches, targets });
  await ctx.db.patch("bulkActs", bulkId, {
    counts,
    before: [...before].map(([words, number]) => ({ words, devices: number })),
    batches: bulk.batches + 1,
  });
}

type Found = { readonly devices: readonly Doc<"devices">[]; readonly next: string | null };

/** A list keeps its order by name while an act changes its devices, so none is skipped. */
async function nextDevices(ctx: QueryCtx, bulk: Bulk, cursor: string | null): Promise<Found> {
  const { organizationId, chosen } = bulk;
  if ("codeId" in chosen) {
    const { codeId } = chosen;
    const page = await ctx.db
      .query("devices")
      .withIndex("by_code", (q) => q.eq("codeId", codeId))
      .paginate({ numItems: perBatch, cursor });
    return { devices: page.page, next: page.isDone ? null : page.continueCursor };
  }
  if ("deviceIds" in chosen) {
    const from = Number(cursor ?? 0);
    const deviceIds = [...new Set(chosen.deviceIds)];
    const to = from + perBatch;
    const next = to < deviceIds.length ? String(to) : null;
    return { devices: await devicesOf(ctx, bulk, deviceIds.slice(from, to)), next };
  }
  const owners = { organizationId, owners: null };
  const page = await listingPage(ctx, owners, chosen.filters, { numItems: perBatch, cursor });
  return {
    devices: await devicesOf(
      ctx,
      bulk,
      page.page.map(({ deviceId }) => deviceId),
    ),
    next: page.isDone ? null : page.continueCursor,
  };
}

async function devicesOf(
  ctx: QueryCtx,
  { organizationId }: Bulk,
  deviceIds: readonly Id<"devices">[],
): Promise<Doc<"devices">[]> {
  const devices = await Promise.all(deviceIds.map((deviceId) => ctx.db.get("devices", deviceId)));
  return devices.flatMap((device) => (device?.organizationId === organizationId ? [device] : []));
}

/** The enrollment code by which an act's devices were chosen. Null if they were chosen otherwise. */
export async function codeOf(ctx: QueryCtx, { chosen }: Bulk): Promise<Doc<"enrolmentCodes"> | null> {
  return "codeId" in chosen ? await ctx.db.get("enrolmentCodes", chosen.codeId) : null;
}

/** A device's facts for an act. Only an update reads its version. */
export async function factsOf(ctx: QueryCtx, device: Doc<"devices">, { kind }: BulkAct): Promise<BulkFacts> {
  const { _id: deviceId, status, requestedPause, pause, groups = [], askedVersion } = device;
  const listed = kind === "update" ? await listingOf(ctx, deviceId) : null;
  return {
    status,
    asked: requestedPause !== undefined,
    failing: pause !== undefined,
    groups,
    version: listed?.version ?? "",
    askedVersion: askedVersion?.version ?? "",
  };
}

function count(counted: Map<string, number>, word: string): void {
  const words = counted.has(word) || counted.size < maxWords ? word : "others";
  counted.set(words, (counted.get(words) ?? 0) + 1);
}

/** Deletes an act and its devices, some at a time. */
export async function forgetBulkAct(ctx: MutationCtx, bulkId: Id<"bulkActs">): Promise<void> {
  const batches = await ctx.db
    .query("bulkBatches")
    .withIndex("by_act", (q) => q.eq("bulkId", bulkId))
    .take(100);
  for (const { _id } of batches) await ctx.db.delete("bulkBatches", _id);
  if (batches.length === 100) await ctx.scheduler.runAfter(0, internal.maintenance.forgetBulk, { bulkId });
  else if ((await ctx.db.get("bulkActs", bulkId)) !== null) await ctx.db.delete("bulkActs", bulkId);
}
