import type { RuleFacts } from "../../../app/devices/filter.ts";
import { isPlacedSo, placementOf } from "../../../app/devices/placement.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Actor, actorName } from "../audit.ts";
import { queue } from "../queue.ts";
import { boundedText } from "../refuse.ts";

/** Few enough that each placement of a device can read them all. */
export const maxRules = 50;

/** An organization's rules of groups. The first one that a device fits places it. */
export async function rulesOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"groupRules">[]> {
  return await ctx.db
    .query("groupRules")
    .withIndex("by_rank", (q) => q.eq("organizationId", organizationId))
    .take(maxRules);
}

/** A group's name from outside. Refuses: invalid. */
export function groupName(text: string): string {
  return boundedText(text, "A group", maxGroupChars);
}

const maxGroupChars = 120;

/** The groups of a device, and how it got there. */
export type Placed = Pick<Doc<"devices">, "groups" | "placedBy">;

/** Puts a device where the rules of its organization (`rulesOf`) want it. The caller brings its row in the list up to date. */
export async function placeByRules(
  ctx: MutationCtx,
  { _id, organizationId, workerId, groups = [], placedBy }: Doc<"devices">,
  facts: RuleFacts,
  rules: readonly Doc<"groupRules">[],
): Promise<Placed> {
  const before = { groups, ...(placedBy === undefined ? {} : { placedBy }) };
  const after = placementOf({ ...facts, ...before }, rules);
  if (isPlacedSo(before, after)) return before;
  const { groups: into, placedBy: by } = after as { groups: string[]; placedBy?: Id<"groupRules"> };
  await setPlacement(ctx, { _id, workerId, organizationId }, { groups: into, placedBy: by }, "system");
  return by === undefined ? { groups: into } : { groups: into, placedBy: by };
}

/** Puts a device into its groups, for the queue, too. */
export async function setPlacement(
  ctx: MutationCtx,
  { _id, organizationId, workerId }: Pick<Doc<"devices">, "_id" | "organizationId" | "workerId">,
  { groups, placedBy }: { readonly groups: readonly string[]; readonly placedBy: Placed["placedBy"] },
  actor: Actor,
): Promise<void> {
  await ctx.db.patch("devices", _id, { groups: [...groups], placedBy });
  await queue.workers.update(ctx, organizationId, {
    workerId,
    groups: [...groups],
    actor: actorName(actor),
  });
}
