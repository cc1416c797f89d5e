import { changesText } from "../../../app/audit/changes.ts";
import { classWords, type DataClass, dataClassLimits } from "../../../app/keys/data-classes.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { boundedInteger, boundedText, refuse } from "../refuse.ts";

async function rowOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"dataClassRules"> | null> {
  return await ctx.db
    .query("dataClassRules")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

/** The organization's classes of data with their rules, from the least to the most sensitive one. */
export async function dataClassesOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<readonly DataClass[]> {
  return (await rowOf(ctx, organizationId))?.classes ?? [];
}

/**
 * Replaces the rules. Groups and times count for requests from now on, and those who may look also for earlier ones. Returns the rules
 * before. Refuses: invalid.
 */
export async function setDataClasses(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  given: readonly DataClass[],
  by: Act,
): Promise<readonly DataClass[]> {
  const classes = checked(given);
  const row = await rowOf(ctx, organizationId);
  if (row === null) await ctx.db.insert("dataClassRules", { organizationId, classes });
  else await ctx.db.patch("dataClassRules", row._id, { classes });
  const before = row?.classes ?? [];
  const words = (all: readonly DataClass[]): string => all.map(classWords).join("; ") || "none";
  const detail = changesText([["data classes", words(before), words(classes)]]);
  const subject = organizationId;
  if (detail !== "")
    await record(ctx, { organizationId, ...by, action: "data-classes.changed", subject, detail });
  return before;
}

/** Rules from outside, bounded. Refuses: invalid. */
function checked(given: readonly DataClass[]): Doc<"dataClassRules">["classes"] {
  const { classes: most, nameChars, groups: mostGroups, keptHours } = dataClassLimits;
  if (given.length > most) refuse("invalid", `There can be at most ${String(most)} data classes.`);
  const classes = given.map((each) => {
    if (each.groups.length > mostGroups)
      refuse("invalid", `A data class has at most ${String(mostGroups)} groups.`);
    return {
      name: boundedText(each.name, "The data class", nameChars),
      groups: [...new Set(each.groups.map((group) => boundedText(group, "A group", nameChars)))].sort(),
      keptHours: boundedInteger(each.keptHours, "keptHours", keptHours.least, keptHours.most),
      lookers: each.lookers,
    };
  });
  const names = new Set(classes.map(({ name }) => name));
  if (names.size < classes.length) refuse("invalid", "Two data classes have the same name.");
  return classes;
}
