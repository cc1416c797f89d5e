import { type Infer, v } from "convex/values";
import { addSums, noSums, type PreviewSums, sumsOf } from "../../../app/policy/replay/totals.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { ActionCtx, MutationCtx, QueryCtx } from "../../_generated/server.js";
import { fleetCountsOf } from "../fleet/counts.ts";
import { refuse } from "../refuse.ts";
import { deviceTotals, previewSums } from "../validators/devices.ts";
import { everybody, policyUnder, type StoredRules } from "./current.ts";

/*
 * Devices replay a draft of the rules against their own records, and answer with totals. The request is one row that devices
 * of its group watch. Answers go to a few rows of sums, so that many devices can answer at once.
 */

/** Previews that devices answer at once, in one organization. */
const maxOpen = 5;
/** The time that devices have to answer, in addition to the time over which they spread their answers. */
const openMs = 60_000;
/** The numbers can be read for this much longer. */
const keptMs = 3_600_000;
const answersPerSecond = 150;
const maxSpreadMs = 60_000;
const shards = 32;
/** A device answers each preview once. It remembers more than can be open at once. */
const rememberedPreviews = 4 * maxOpen;
const perPage = 250;

type Preview = Doc<"policyPreviews">;

/** Asks the devices of a group to replay rules, in place of the member's last request. Refuses: rate_limited. */
export async function openPreview(
  ctx: MutationCtx,
  member: Doc<"members">,
  { group, rules }: { readonly group: string; readonly rules: StoredRules },
  at: number,
): Promise<Id<"policyPreviews">> {
  const { organizationId, _id: memberId } = member;
  const last = await previewOf(ctx, memberId);
  if (last !== null) await deletePreview(ctx, last._id);
  const open = await ctx.db
    .query("policyPreviews")
    .withIndex("by_open", (q) => q.eq("organizationId", organizationId).eq("isOpen", true))
    .take(maxOpen);
  if (open.length === maxOpen)
    refuse("rate_limited", "Others preview rules right now. Try again in a minute.");
  const { states, facets } = await fleetCountsOf(ctx, organizationId);
  const devices =
    group === everybody
      ? states.donating + states.standby
      : (facets.find(({ of, name }) => of === "group" && name === group)?.devices ?? 0);
  const spreadMs = Math.min(maxSpreadMs, Math.round((devices / answersPerSecond) * 1_000));
  const row = { organizationId, memberId, group, rules, at, spreadMs, isOpen: true };
  const previewId = await ctx.db.insert("policyPreviews", row);
  const { countPreviewFleet, endPreview } = internal.maintenance;
  await ctx.scheduler.runAfter(0, countPreviewFleet, { previewId });
  await ctx.scheduler.runAfter(openMs + spreadMs, endPreview, { previewId });
  return previewId;
}

async function previewOf(ctx: QueryCtx, memberId: Id<"members">): Promise<Preview | null> {
  return await ctx.db
    .query("policyPreviews")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .first();
}

export const previewView = v.object({
  previewId: v.id("policyPreviews"),
  isOpen: v.boolean(),
  /** The devices that the rules are for; null until they are counted. */
  fleet: v.union(v.object({ online: v.number(), offline: v.number() }), v.null()),
  sums: previewSums,
});

/** The member's last preview with its answers until now; null without one. */
export async function previewViewOf(
  ctx: QueryCtx,
  memberId: Id<"members">,
): Promise<Infer<typeof previewView> | null> {
  const preview = await previewOf(ctx, memberId);
  if (preview === null) return null;
  const { _id: previewId, isOpen } = preview;
  const [fleet, rows] = await Promise.all([fleetOf(ctx, previewId), sumsRows(ctx, previewId)]);
  return {
    previewId,
    isOpen,
    fleet: fleet === null ? null : { online: fleet.online, offline: fleet.offline },
    sums: { ...rows.map(({ sums }): PreviewSums => sums).reduce(addSums, noSums) },
  };
}

/** The rules that a device replays: all rules of its organization, as they would be. */
export const previewRequest = v.object({
  previewId: v.id("policyPreviews"),
  rules: v.object({ values: v.record(v.string(), v.any()), locked: v.array(v.string()) }),
  /** The device answers at a random moment within this time. */
  spreadMs: v.number(),
});

/** The open previews of a device's groups. Only these rows, its own and its groups' rules are read. */
export async function previewsFor(
  ctx: QueryCtx,
  device: Doc<"devices">,
): Promise<Infer<typeof previewRequest>[]> {
  const { organizationId, groups = [] } = device;
  const open = await Promise.all(
    [...groups, everybody].map((group) =>
      ctx.db
        .query("policyPreviews")
        .withIndex("by_open", (q) =>
          q.eq("organizationId", organizationId).eq("isOpen", true).eq("group", group),
        )
        .take(maxOpen),
    ),
  );
  return await Promise.all(
    open.flat().map(async ({ _id: previewId, group, rules, spreadMs }) => {
      return { previewId, rules: await policyUnder(ctx, device, { group, rules }), spreadMs };
    }),
  );
}

/** Null: the device has recorded nothing yet. */
export const previewAnswer = v.union(deviceTotals, v.null());

/** Adds a device's answer, once. An answer that comes too late, or is not asked for, does not count. */
export async function addAnswer(
  ctx: MutationCtx,
  { _id: deviceId, organizationId, status, groups = [] }: Doc<"devices">,
  previewId: Id<"policyPreviews">,
  answer: Infer<typeof previewAnswer>,
): Promise<void> {
  const preview = await ctx.db.get("policyPreviews", previewId);
  if (preview?.organizationId !== organizationId || !preview.isOpen || status !== "active") return;
  if (preview.group !== everybody && !groups.includes(preview.group)) return;
  const answered = await ctx.db
    .query("policyAnswers")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .unique();
  if (answered?.previewIds.includes(previewId) === true) return;
  const previewIds = [previewId, ...(answered?.previewIds ?? [])].slice(0, rememberedPreviews);
  if (answered === null) await ctx.db.insert("policyAnswers", { organizationId, deviceId, previewIds });
  else await ctx.db.patch("policyAnswers", answered._id, { previewIds });
  const shard = shardOf(deviceId);
  const row = await ctx.db
    .query("policyPreviewSums")
    .withIndex("by_preview", (q) => q.eq("previewId", previewId).eq("shard", shard))
    .unique();
  const sums = { ...addSums(row?.sums ?? noSums, sumsOf(answer)) };
  if (row === null) await ctx.db.insert("policyPreviewSums", { organizationId, previewId, shard, sums });
  else await ctx.db.patch("policyPreviewSums", row._id, { sums });
}

/** Devices of one shard write one row, so a few rows share the work. */
function shardOf(deviceId: string): number {
  let hash = 0;
  for (const char of deviceId) hash = (hash * 31 + char.charCodeAt(0)) % 65_521;
  return hash % shards;
}

/** Asks no more devices. The numbers stay for an hour. */
export async function closePreview(ctx: MutationCtx, previewId: Id<"policyPreviews">): Promise<void> {
  const preview = await ctx.db.get("policyPreviews", previewId);
  if (preview === null) return;
  if (!preview.isOpen) {
    await deletePreview(ctx, previewId);
    return;
  }
  await ctx.db.patch("policyPreviews", previewId, { isOpen: false });
  await ctx.scheduler.runAfter(keptMs, internal.maintenance.endPreview, { previewId });
}

async function deletePreview(ctx: MutationCtx, previewId: Id<"policyPreviews">): Promise<void> {
  for (const { _id } of await sumsRows(ctx, previewId)) await ctx.db.delete("policyPreviewSums", _id);
  const fleet = await fleetOf(ctx, previewId);
  if (fleet !== null) await ctx.db.delete("policyPreviewFleets", fleet._id);
  await ctx.db.delete("policyPreviews", previewId);
}

async function sumsRows(ctx: QueryCtx, previewId: Id<"policyPreviews">): Promise<Doc<"policyPreviewSums">[]> {
  return await ctx.db
    .query("policyPreviewSums")
    .withIndex("by_preview", (q) => q.eq("previewId", previewId))
    .take(shards);
}

async function fleetOf(
  ctx: QueryCtx,
  previewId: Id<"policyPreviews">,
): Promise<Doc<"policyPreviewFleets"> | null> {
  return await ctx.db
    .query("policyPreviewFleets")
    .withIndex("by_preview", (q) => q.eq("previewId", previewId))
    .unique();
}

/** A page of the count. `next`: the cursor of the next one; null at the end. */
export const fleetPage = v.object({
  online: v.number(),
  offline: v.number(),
  next: v.union(v.string(), v.null()),
});

/** Counts a page of the organization's devices that the rules are for. */
export async function fleetPageOf(
  ctx: QueryCtx,
  previewId: Id<"policyPreviews">,
  cursor: string | null,
): Promise<Infer<typeof fleetPage>> {
  const preview = await ctx.db.get("policyPreviews", previewId);
  if (preview === null) return { online: 0, offline: 0, next: null };
  const { organizationId, group } = preview;
  const { page, isDone, continueCursor } = await ctx.db
    .query("deviceListings")
    .withIndex("by_name", (q) => q.eq("organizationId", organizationId))
    .paginate({ numItems: perPage, cursor });
  const meant = page.filter(({ groups }) => group === everybody || groups.includes(group));
  const isOnline = ({ state }: (typeof page)[number]): boolean => state === "donating" || state === "standby";
  return {
    online: meant.filter(isOnline).length,
    offline: meant.filter(({ state }) => state === "offline").length,
    next: isDone ? null : continueCursor,
  };
}

/** An action, because a mutation that reads the list of all devices would conflict with each change of them. */
export async function countFleetOf(ctx: ActionCtx, previewId: Id<"policyPreviews">): Promise<void> {
  const { previewFleetPage, storePreviewFleet } = internal.maintenance;
  const fleet = { online: 0, offline: 0 };
  let cursor: string | null = null;
  do {
    const page: Infer<typeof fleetPage> = await ctx.runQuery(previewFleetPage, { previewId, cursor });
    fleet.online += page.online;
    fleet.offline += page.offline;
    cursor = page.next;
  } while (cursor !== null);
  await ctx.runMutation(storePreviewFleet, { previewId, ...fleet });
}

/** Not in the preview's own row, which all devices watch. */
export async function storeFleet(
  ctx: MutationCtx,
  previewId: Id<"policyPreviews">,
  fleet: { readonly online: number; readonly offline: number },
): Promise<void> {
  const preview = await ctx.db.get("policyPreviews", previewId);
  if (preview === null) return;
  const { organizationId } = preview;
  await ctx.db.insert("policyPreviewFleets", { organizationId, previewId, ...fleet });
}
