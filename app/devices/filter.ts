import { isGrammarTag } from "../grammar-version.ts";
import type { DeviceState } from "../statistics/metrics.ts";
import { isOlder } from "../versions.ts";
import type { DeviceConcern } from "./attention.ts";

/** The facts of a device that lists filter by, and that rules of groups ask for. */
export type FilteredFacts = {
  readonly name: string;
  readonly state: DeviceState;
  /** The system, as Node.js names it. */
  readonly platform: string;
  /** "" if it is unknown. */
  readonly version: string;
  readonly groups: readonly string[];
  readonly models: readonly string[];
  readonly concerns?: readonly DeviceConcern[];
  readonly attention?: boolean;
  readonly owner?: string;
  readonly changedAt: number;
  /** All memory of the computer, in MiB. */
  readonly memoryMb?: number;
  /** As much of it as jobs may use there, after the organization's limits of the device. */
  readonly jobMemoryMb?: number;
  /** The kinds of GPU that models ran on there, such as "cuda". */
  readonly gpus?: readonly string[];
  /** Tags that an admin gave it or that it reported. */
  readonly tags?: readonly string[];
};

/** The facts that change seldom. Rules of groups can ask for these only, so no device moves with each job. */
export type RuleFilter = {
  /** Part of the name, in any case. */
  readonly named?: string;
  readonly platform?: string;
  /** This version, or a newer one. */
  readonly fromVersion?: string;
  readonly model?: string;
  /** At least so much memory, in GB of 10⁹ bytes: a computer that is sold with 16 GB reports a little less than 16 GiB. */
  readonly memoryGb?: number;
  /** A kind, or "any", or "none". */
  readonly gpu?: string;
  readonly tag?: string;
  readonly owner?: string;
};

/** Devices of a list fit all of these. */
export type DeviceFilter = RuleFilter & {
  /** `online`: donating or standing by. `attention`: something about it needs attention. */
  readonly state?: DeviceState | "online" | "attention";
  readonly concern?: DeviceConcern;
  readonly group?: string;
  readonly version?: string;
  /** Its last change was before this moment; ms epoch. */
  readonly changedBefore?: number;
  /** In service, with so much memory for jobs, in GB of 10⁹ bytes: it could run a model that needs this much. */
  readonly fitsGb?: number;
  /** In service, with less memory for jobs than this, or an unknown amount. */
  readonly lacksGb?: number;
};

export function fitsFilter(device: FilteredFacts, filter: DeviceFilter): boolean {
  const { state, concern, group, version, changedBefore, fitsGb, lacksGb } = filter;
  const jobBytes = jobBytesOf(device);
  return (
    fitsRule(device, filter) &&
    (state === undefined ||
      (state === "attention" ? device.attention === true : statesOf(state).includes(device.state))) &&
    (concern === undefined || (device.concerns ?? []).includes(concern)) &&
    (group === undefined || device.groups.includes(group)) &&
    (version === undefined || device.version === version) &&
    (changedBefore === undefined || device.changedAt < changedBefore) &&
    (fitsGb === undefined || (jobBytes !== null && jobBytes >= fitsGb * 1e9)) &&
    (lacksGb === undefined || (jobBytes !== null && jobBytes < lacksGb * 1e9))
  );
}

/** The memory that jobs may use on a device, in bytes; 0 if it is unknown. Null: the device is not in service. */
export function jobBytesOf({
  state,
  jobMemoryMb,
  memoryMb = 0,
}: Pick<FilteredFacts, "state" | "jobMemoryMb" | "memoryMb">): number | null {
  return state === "pending" || state === "retired" ? null : (jobMemoryMb ?? memoryMb) * 2 ** 20;
}

/** The states that a list means by one word. */
export function statesOf(state: DeviceState | "online"): readonly DeviceState[] {
  return state === "online" ? ["donating", "standby"] : [state];
}

/** The facts that decide which rule a device fits. */
export type RuleFacts = Omit<
  FilteredFacts,
  "state" | "groups" | "concerns" | "attention" | "changedAt" | "jobMemoryMb"
>;

export function fitsRule(device: RuleFacts, filter: RuleFilter): boolean {
  const { named, platform, fromVersion, model, memoryGb, gpu, tag, owner } = filter;
  return (
    (named === undefined || device.name.toLowerCase().includes(named.toLowerCase())) &&
    (platform === undefined || device.platform === platform) &&
    (fromVersion === undefined || !isOlder(device.version, fromVersion)) &&
    (model === undefined || device.models.includes(model)) &&
    (memoryGb === undefined || (device.memoryMb ?? 0) * 2 ** 20 >= memoryGb * 1e9) &&
    (gpu === undefined || hasGpu(device.gpus, gpu)) &&
    (tag === undefined || (device.tags ?? []).includes(tag)) &&
    (owner === undefined || device.owner === owner)
  );
}

/** A device that has not told of its GPUs yet fits no such filter. */
function hasGpu(gpus: readonly string[] | undefined, wanted: string): boolean {
  if (gpus === undefined) return false;
  if (wanted === "any") return gpus.length > 0;
  return wanted === "none" ? gpus.length === 0 : gpus.includes(wanted);
}

const backendTag = "backend:";

/** The kinds of GPU, and the other tags that say something to people, in the tags that a device reports. */
export function reportedTags(tags: readonly string[]): {
  readonly gpus: readonly string[];
  readonly tags: readonly string[];
} {
  const backends = tags.filter((tag) => tag.startsWith(backendTag));
  return {
    gpus: backends.map((tag) => tag.slice(backendTag.length)).filter((kind) => kind !== "cpu"),
    tags: tags.filter((tag) => !tag.startsWith(backendTag) && !isGrammarTag(tag)),
  };
}
