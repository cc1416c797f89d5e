import type { MissingRequirement, Requirements } from "@gleaner/queue/validators";
import { ConvexError, type Infer } from "convex/values";
import { chooseClass, classNamed, type DataClass } from "../../../app/keys/data-classes.ts";
import {
  type DeviceNeeds,
  gigabytesOf,
  gpuTags,
  mebibytesOf,
  tighten,
} from "../../../app/keys/requirements.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { checkedNeeds } from "../keys/keyRights.ts";
import { queue } from "../queue.ts";
import { refuse } from "../refuse.ts";
import type { deviceNeeds } from "../validators/keys.ts";

/** The needs of a job, and the rules for the class of its data. `rules` null: the organization has none for that class. */
export type JobNeeds = {
  readonly needs: DeviceNeeds;
  readonly dataClass: string | undefined;
  readonly rules: DataClass | null;
};

/**
 * The requirements of a job on devices: those of its key, and those that its request adds. All jobs pass here. Refuses: invalid,
 * requirements_not_allowed (the key's requests may add none, or this one would loosen what the key requires).
 * @param classes the organization's rules.
 */
export function needsOf(
  { requirements, dataClass: usual, highestDataClass: highest, mayRequire = false }: Doc<"apiKeys">,
  asked: DeviceNeeds | undefined,
  classes: readonly DataClass[],
): JobNeeds {
  const { dataClass: wanted, ...added } = checkedNeeds(asked ?? {});
  const ofKey = {
    ...(usual === undefined ? {} : { usual }),
    ...(highest === undefined ? {} : { highest }),
  };
  const chosen = chooseClass(classes, ofKey, wanted);
  if (chosen.kind === "refused") return refuse("requirements_not_allowed", chosen.why);
  const { name: dataClass } = chosen;
  const addsClass = wanted !== undefined && highest === undefined;
  if ((Object.keys(added).length > 0 || addsClass) && !mayRequire) {
    refuse(
      "requirements_not_allowed",
      "Requests of this API key may not require devices. Ask your administrator, who can allow it.",
    );
  }
  const tightened = tighten(requirements ?? {}, added);
  if (tightened.kind !== "ok") return refuse("requirements_not_allowed", tightened.why);
  const rules = classNamed(classes, dataClass);
  return { needs: withClass(tightened.needs, dataClass, rules), dataClass, rules };
}

/** Whether a request adds nothing to what its key requires. */
export function isNoNeed(asked: DeviceNeeds = {}): boolean {
  return Object.keys(asked).length === 0;
}

/** The same, or null if the rules refuse each such request by now. */
export function needsIfAllowed(...of: Parameters<typeof needsOf>): JobNeeds | null {
  try {
    return needsOf(...of);
  } catch (thrown) {
    if (thrown instanceof ConvexError) return null;
    throw thrown;
  }
}

/** A class goes to the groups of its rules. Without such groups it goes to the devices that an admin gave the class. */
function withClass(needs: DeviceNeeds, dataClass: string | undefined, rules: DataClass | null): DeviceNeeds {
  if (dataClass === undefined) return needs;
  if (rules === null || rules.groups.length === 0) return { ...needs, dataClass };
  const { groups: own = [] } = needs;
  const groups = own.length === 0 ? rules.groups : own.filter((group) => rules.groups.includes(group));
  if (groups.length > 0) return { ...needs, groups };
  const [wanted, allowed] = [own.join(" or "), rules.groups.join(" or ")];
  return refuse(
    "requirements_not_allowed",
    `Jobs of the data class ${dataClass} go to the group ${allowed} only, not to ${wanted}.`,
  );
}

/** The queue's requirements. Groups, tags (its labels) and data classes are the organization's, never a device's claim. */
export function requirementsOf({
  groups,
  tags,
  gpu,
  memoryGb,
  vramGb,
  dataClass,
}: DeviceNeeds): Requirements {
  return {
    ...(groups === undefined ? {} : { groups: [...groups] }),
    ...(tags === undefined ? {} : { labels: [...tags] }),
    ...(gpu === true ? { gpu } : {}),
    ...(memoryGb === undefined ? {} : { memoryMb: mebibytesOf(memoryGb) }),
    ...(vramGb === undefined ? {} : { vramMb: mebibytesOf(vramGb) }),
    ...(dataClass === undefined ? {} : { dataClass }),
  };
}

/**
 * The reverse of `requirementsOf`.
 * @param dataClass the class of the job's data. If its rules name groups, the queue knows only these.
 */
export function needsIn(
  { groups, labels, gpu, memoryMb, vramMb }: Requirements,
  dataClass: string | undefined,
): Infer<typeof deviceNeeds> {
  return {
    ...(groups === undefined ? {} : { groups }),
    ...(labels === undefined ? {} : { tags: labels }),
    ...(gpu === undefined ? {} : { gpu }),
    ...(memoryMb === undefined ? {} : { memoryGb: gigabytesOf(memoryMb) }),
    ...(vramMb === undefined ? {} : { vramGb: gigabytesOf(vramMb) }),
    ...(dataClass === undefined ? {} : { dataClass }),
  };
}

/** Refuses (requirements_unmet) what no device of the organization could ever meet, and names it. */
export async function checkNeeds(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  needs: DeviceNeeds,
): Promise<void> {
  const requirements = requirementsOf(needs);
  if (Object.keys(requirements).length === 0) return;
  const missing = await queue.workers.missing(ctx, organizationId, { requirements, gpuTags: [...gpuTags] });
  if (missing !== null)
    refuse("requirements_unmet", `${missingWords(missing, needs)} Ask your administrator.`);
}

function missingWords(missing: MissingRequirement, { groups = [], memoryGb = 0 }: DeviceNeeds): string {
  switch (missing.of) {
    case "labels":
      return `No device of your organization has the tag ${missing.name}.`;
    case "dataClass":
      return `No device of your organization may get the data class ${missing.name}.`;
    case "groups":
      return `No device of your organization is in the group ${groups.join(" or ")}.`;
    case "gpu":
      return "No device of your organization has a GPU that may be used.";
    case "memoryMb":
      return `No device of your organization has ${String(memoryGb)} GB of memory that may be used.`;
    case "together":
      return "No device of your organization meets all requirements of this request together.";
  }
}
