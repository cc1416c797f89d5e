import type { FunctionArgs } from "convex/server";
import { type DeviceConcern, deviceConcerns } from "../../../app/devices/attention.ts";
import { conditionWords } from "../../../app/devices/rule-words.ts";
import { looksOnly, type ViewPart, viewParts } from "../../../app/devices/views.ts";
import { platformWords } from "../../../app/format/platform.ts";
import { formatCount, formatTenths, plural } from "../../../app/format/quantity.ts";
import { type DeviceState, deviceStates } from "../../../app/statistics/metrics.ts";
import { newerOf } from "../../../app/versions.ts";
import type { api } from "../../../convex/_generated/api.js";
import type { Option } from "../../ui/controls/Select.tsx";
import type { FleetCounts, RuleRow } from "../data/rows.ts";
import { stateWords } from "./state-words.ts";

export type ListArgs = Omit<FunctionArgs<typeof api.console.devices.list>, "session" | "paginationOpts">;

/** A view of the devices, as the address has it. "": the part is missing there. */
export type Filters = Readonly<Record<ViewPart, string>>;

export const noFilters = Object.fromEntries(viewParts.map((part) => [part, ""])) as Filters;

/** The filters that an address has. */
export function filtersIn(query: URLSearchParams): Filters {
  return Object.fromEntries(viewParts.map((part) => [part, query.get(part) ?? ""])) as Filters;
}

/** The filters of a saved view. */
export function viewOf(view: Readonly<Partial<Filters>>): Filters {
  return { ...noFilters, ...view };
}

/** The same for the server, which keeps no empty parts. */
export function settingsOf(filters: Filters): Partial<Filters> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
}

const states: readonly string[] = [...deviceStates, "online", "attention"];

const sorts: Readonly<Record<string, Pick<ListArgs, "order" | "descending">>> = {
  "": { order: "name" },
  newest: { order: "enrolled", descending: true },
  oldest: { order: "enrolled" },
  changed: { order: "changed", descending: true },
  quiet: { order: "changed" },
};

/** The list that filters from an address mean. Unknown values there are left out. */
export function listArgsOf(filters: Filters): ListArgs {
  const { q, state, group, version, concern, sort } = filters;
  const about = deviceConcerns.find((known) => known === concern);
  return {
    ...(q.trim() === "" ? {} : { search: q.trim() }),
    ...(states.includes(state) ? { state: state as NonNullable<ListArgs["state"]> } : {}),
    ...(group === "" ? {} : { group }),
    ...(version === "" ? {} : { version }),
    ...(about === undefined ? {} : { concern: about }),
    ...(Number(filters.fits) > 0 ? { fitsGb: Number(filters.fits) } : {}),
    ...(Number(filters.lacks) > 0 ? { lacksGb: Number(filters.lacks) } : {}),
    ...ruleFilterOf(filters),
    ...(sorts[sort] ?? sorts[""]),
  };
}

export type RuleFilter = RuleRow["filter"];

/** The filters of an address that rules of groups have, too. */
export function ruleFilterOf(filters: Filters): RuleFilter {
  const { named, platform, from, model, memory, gpu, tag, owner } = filters;
  const memoryGb = Number(memory);
  return {
    ...(named === "" ? {} : { named }),
    ...(platform === "" ? {} : { platform }),
    ...(from === "" ? {} : { fromVersion: from }),
    ...(model === "" ? {} : { model }),
    ...(memoryGb > 0 ? { memoryGb } : {}),
    ...(gpu === "" ? {} : { gpu }),
    ...(tag === "" ? {} : { tag }),
    ...(owner === "" ? {} : { owner: owner as NonNullable<RuleFilter["owner"]> }),
  };
}

/** The view of the devices that fit a rule. */
export function viewOfRule({ fromVersion, memoryGb, ...filter }: RuleFilter): Filters {
  return viewOf({
    ...filter,
    ...(fromVersion === undefined ? {} : { from: fromVersion }),
    ...(memoryGb === undefined ? {} : { memory: String(memoryGb) }),
  });
}

/** The filters that have no box of their own, in words. Each can be removed. */
export function chipsOf(filters: Filters): readonly { readonly part: ViewPart; readonly words: string }[] {
  const parts: readonly ViewPart[] = ["named", "from", "memory", "fits", "lacks", "gpu", "tag", "owner"];
  return parts.flatMap((part) => {
    const words = chipWords(part, filters);
    return words === undefined ? [] : [{ part, words }];
  });
}

function chipWords(part: ViewPart, filters: Filters): string | undefined {
  const { fitsGb, lacksGb } = listArgsOf(filters);
  if (part === "fits" && fitsGb !== undefined)
    return `in service, at least ${formatTenths(fitsGb)} GB for jobs`;
  if (part === "lacks" && lacksGb !== undefined)
    return `in service, less than ${formatTenths(lacksGb)} GB for jobs`;
  if (part === "owner" && filters.owner !== "") return "one owner";
  return conditionWords(ruleFilterOf({ ...noFilters, [part]: filters[part] }), null)[0];
}

export const isFiltered = (filters: Filters): boolean =>
  viewParts.some((part) => !looksOnly.includes(part) && filters[part] !== "");

/** The states to choose from, each with its number of devices. */
export function stateOptions({ states: counted }: FleetCounts): readonly Option[] {
  const option = (value: string, label: string, of: readonly DeviceState[]): Option => ({
    value,
    label: `${label} (${formatCount(of.reduce((sum, state) => sum + counted[state], 0))})`,
  });
  return [
    option("", "Any state", deviceStates),
    option("online", "Online", ["donating", "standby"]),
    { value: "attention", label: "Needs attention" },
    ...deviceStates.map((state) => option(state, stateWords[state], [state])),
  ];
}

/** The values of a facet, most devices first. A chosen value is there even if no device has it anymore. */
export function facetOptions(
  { facets }: FleetCounts,
  of: "group" | "platform" | "version",
  any: string,
  chosen: string,
): readonly Option[] {
  const counted = facets.filter((facet) => facet.of === of && facet.name !== "");
  counted.sort((a, b) => b.devices - a.devices || (a.name < b.name ? -1 : 1));
  const words = of === "platform" ? platformWords : (name: string) => name;
  const known = counted.map(({ name, devices }) => ({
    value: name,
    label: `${words(name)} (${formatCount(devices)})`,
  }));
  const gone =
    chosen === "" || known.some(({ value }) => value === chosen)
      ? []
      : [{ value: chosen, label: words(chosen) }];
  return [{ value: "", label: any }, ...known, ...gone];
}

const concernLabels: Readonly<Record<DeviceConcern, string>> = {
  failing: "Fails too often",
  outdated: "Needs an update",
  "rolled-back": "Went back from an update",
  "not-updated": "Not updated as asked",
  "other-key": "Has another key",
  stuck: "Stuck at its start",
  "never-donated": "Never donated",
};

/** The concerns about devices, each with its number of devices. Those without a device are left out. */
export function concernOptions({ facets }: FleetCounts, chosen: string): readonly Option[] {
  const known = deviceConcerns.flatMap((value) => {
    const devices = facets.find(({ of, name }) => of === "concern" && name === value)?.devices ?? 0;
    if (devices === 0 && value !== chosen) return [];
    return [{ value, label: `${concernLabels[value]} (${formatCount(devices)})` }];
  });
  return known.length === 0 ? [] : [{ value: "", label: "Any concern" }, ...known];
}

export const sortOptions: readonly Option[] = [
  { value: "", label: "By name" },
  { value: "newest", label: "Newest first" },
  { value: "oldest", label: "Oldest first" },
  { value: "changed", label: "Last change first" },
  { value: "quiet", label: "Longest unchanged first" },
];

/** The newest version that a device has. "" before one has told its version. */
export function newestVersion(counts: FleetCounts | undefined): string {
  const versions = (counts?.facets ?? []).filter(({ of }) => of === "version");
  return versions.reduce((newest, { name }) => newerOf(newest, name), "");
}

/** "10,000 devices, 412 donating". Empty before the first count. */
export function fleetWords({ states: counted }: FleetCounts): string {
  const total = deviceStates.reduce((sum, state) => sum + counted[state], 0);
  return `${plural(total, ["# device", "# devices"])}, ${formatCount(counted.donating)} donating`;
}
