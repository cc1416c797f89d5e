import { type Infer, v } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import { highestOf, isAbove, type JobPriority } from "../../../app/jobs/priority.ts";
import { type DeviceNeeds, needLimits, needWords } from "../../../app/keys/requirements.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { boundedInteger, boundedText, refuse } from "../refuse.ts";
import { deviceNeeds } from "../validators/keys.ts";

/** What an admin sets for a key. A field that is left out stays. */
export type KeyRights = {
  readonly highestPriority?: JobPriority;
  readonly requirements?: DeviceNeeds;
  /** Whether its requests may add requirements. */
  readonly mayRequire?: boolean;
  /** The highest data class that its requests may name. Empty: none but the key's own. */
  readonly highestDataClass?: string;
};

/** What a key may ask for, as the console shows it. */
export const keyRights = v.object({
  requirements: deviceNeeds,
  mayRequire: v.boolean(),
  /** Null: none but the key's own. */
  highestDataClass: v.union(v.string(), v.null()),
});

export function rightsOf({
  requirements,
  dataClass,
  mayRequire = false,
  highestDataClass,
}: Doc<"apiKeys">): Infer<typeof keyRights> {
  return {
    requirements: { ...requirements, ...(dataClass === undefined ? {} : { dataClass }) },
    mayRequire,
    highestDataClass: highestDataClass ?? null,
  };
}

/** Changes what a key may ask for. It counts for jobs that are submitted or raised from now on. Refuses: invalid. */
export async function setRights(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  { highestPriority, requirements, mayRequire, highestDataClass }: KeyRights,
  by: Act,
): Promise<void> {
  const { _id: subject, organizationId } = key;
  const wanted = requirements === undefined ? null : checkedNeeds(requirements);
  if (wanted !== null) {
    const { dataClass, ...needs } = wanted;
    await ctx.db.patch("apiKeys", subject, { dataClass, requirements: needs });
  }
  if (highestPriority !== undefined) await ctx.db.patch("apiKeys", subject, { highestPriority });
  if (mayRequire !== undefined) await ctx.db.patch("apiKeys", subject, { mayRequire });
  const before = rightsOf(key);
  const highest = highestDataClass === undefined ? before.highestDataClass : checkedClass(highestDataClass);
  if (highest !== before.highestDataClass)
    await ctx.db.patch("apiKeys", subject, { highestDataClass: highest ?? undefined });
  const devices = (needs: DeviceNeeds): string => needWords(needs).join(", ") || "any";
  const detail = changesText([
    ["highest priority", highestOf(key), highestPriority ?? highestOf(key)],
    ["devices", devices(before.requirements), devices(wanted ?? before.requirements)],
    ["highest data class", before.highestDataClass ?? "none", highest ?? "none"],
    ["requests may require more", before.mayRequire, mayRequire ?? before.mayRequire],
  ]);
  if (detail === "") return;
  await record(ctx, {
    organizationId,
    ...by,
    action: "api-key.rights-changed",
    subject,
    detail,
  });
}

/** The highest data class of a key; null for an empty text. Refuses: invalid. */
function checkedClass(name: string): string | null {
  return name === "" ? null : boundedText(name, "The highest data class", needLimits.nameChars);
}

/** Requirements from outside, bounded. Fields that require nothing are left out. Refuses: invalid. */
export function checkedNeeds({
  groups = [],
  tags = [],
  gpu,
  memoryGb,
  vramGb,
  dataClass,
}: DeviceNeeds): Infer<typeof deviceNeeds> {
  const [inGroups, withTags] = [labels(groups, "A group"), labels(tags, "A tag")];
  return {
    ...(inGroups.length === 0 ? {} : { groups: inGroups }),
    ...(withTags.length === 0 ? {} : { tags: withTags }),
    ...(gpu === true ? { gpu } : {}),
    ...(memoryGb === undefined
      ? {}
      : { memoryGb: boundedInteger(memoryGb, "memoryGb", 1, needLimits.memoryGb) }),
    ...(vramGb === undefined ? {} : { vramGb: boundedInteger(vramGb, "vramGb", 1, needLimits.memoryGb) }),
    ...(dataClass === undefined
      ? {}
      : { dataClass: boundedText(dataClass, "The data class", needLimits.nameChars) }),
  };
}

function labels(given: readonly string[], what: string): string[] {
  if (given.length > needLimits.names)
    refuse("invalid", `At most ${String(needLimits.names)} groups, and as many tags, can be required.`);
  return [...new Set(given.map((name) => boundedText(name, what, needLimits.nameChars)))].sort();
}

/** Refuses (priority_not_allowed) a priority above the highest one that the key may ask for. */
export function checkPriority(key: Doc<"apiKeys">, wanted: JobPriority): void {
  const highest = highestOf(key);
  if (!isAbove(wanted, highest)) return;
  refuse(
    "priority_not_allowed",
    `This API key may ask for ${highest} priority at most, not for ${wanted}. Ask your administrator, who can change that.`,
  );
}
