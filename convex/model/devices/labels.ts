import { changesText } from "../../../app/audit/changes.ts";
import { internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, actorName, record } from "../audit.ts";
import { relist } from "../fleet/listing.ts";
import { setPlacement } from "../fleet/placement.ts";
import { queue } from "../queue.ts";
import { boundedText, refuse } from "../refuse.ts";

/** What an organization says about a device. A device cannot say it of itself. */
type Labels = {
  readonly groups: readonly string[];
  /** If they are left out, they stay. */
  readonly tags?: readonly string[];
  readonly dataClasses: readonly string[];
};

/** Sets a device's labels. They count at once: the queue takes it out of the lanes that it may not serve anymore. Refuses: invalid. */
export async function labelDevice(
  ctx: MutationCtx,
  { _id: subject, organizationId, workerId, groups: groupsBefore = [] }: Doc<"devices">,
  { groups, tags, dataClasses }: Labels,
  by: Act,
): Promise<void> {
  const inGroups = labels(groups, "A group", "groups");
  const inClasses = labels(dataClasses, "A data class", "data classes");
  const given = tags === undefined ? {} : { labels: labels(tags, "A tag", "tags") };
  const before = await queue.workers.get(ctx, organizationId, workerId);
  // New groups are the member's choice, so no rule changes them from now on.
  const isMove = JSON.stringify(inGroups) !== JSON.stringify(groupsBefore);
  await ctx.db.patch("devices", subject, {
    groups: inGroups,
    ...(isMove ? { placedBy: "hand" as const } : {}),
  });
  const change = { workerId, groups: inGroups, dataClasses: inClasses, ...given, actor: actorName(by.actor) };
  await queue.workers.update(ctx, organizationId, change);
  await relist(ctx, subject);
  await ctx.scheduler.runAfter(0, internal.fleet.steps.countFleet, { organizationId });
  const tagsBefore = before?.labels ?? [];
  const detail = changesText([
    ["groups", before?.groups ?? [], inGroups],
    ["tags", tagsBefore, given.labels ?? tagsBefore],
    ["data classes", before?.dataClasses ?? [], inClasses],
  ]);
  if (detail === "") return;
  await record(ctx, { organizationId, ...by, action: "device.labelled", subject, detail });
}

/** Puts a device into groups without an entry in the audit trail. The caller counts the fleet anew. */
export async function setGroups(
  ctx: MutationCtx,
  device: Doc<"devices">,
  placed: Parameters<typeof setPlacement>[2],
  { actor }: Act,
): Promise<void> {
  await setPlacement(ctx, device, placed, actor);
  await relist(ctx, device._id);
}

const maxLabels = 32;
const maxLabelChars = 120;

function labels(given: readonly string[], what: string, plural: string): string[] {
  if (given.length > maxLabels)
    refuse("invalid", `A device can have at most ${String(maxLabels)} ${plural}.`);
  return [...new Set(given.map((label) => boundedText(label, what, maxLabelChars)))].sort();
}
