import { expect, it } from "vitest";
import type { FleetCounts } from "../data/rows.ts";
import {
  chipsOf,
  concernOptions,
  facetOptions,
  fleetWords,
  isFiltered,
  listArgsOf,
  noFilters,
  ruleFilterOf,
  stateOptions,
  viewOfRule,
} from "./fleet-filters.ts";

const counts: FleetCounts = {
  states: { donating: 3, standby: 2, paused: 1, outdated: 1, offline: 4, pending: 0, retired: 0 },
  facets: [
    { of: "platform", name: "linux", devices: 4 },
    { of: "platform", name: "win32", devices: 7 },
    { of: "group", name: "Lab", devices: 2 },
  ],
  at: 0,
};

it("reads the list's filters from an address, and leaves out what it does not know", () => {
  expect(listArgsOf(noFilters)).toEqual({ order: "name" });
  expect(listArgsOf({ ...noFilters, q: " ada ", state: "online", group: "Lab", sort: "newest" })).toEqual({
    search: "ada",
    state: "online",
    group: "Lab",
    order: "enrolled",
    descending: true,
  });
  expect(listArgsOf({ ...noFilters, state: "nonsense", sort: "nonsense" })).toEqual({ order: "name" });
  expect(isFiltered({ ...noFilters, sort: "newest" })).toBe(false);
  expect(isFiltered({ ...noFilters, group: "Lab" })).toBe(true);
});

it("has the conditions of rules in the address, and shows those without a box in words", () => {
  const rule = { named: "lab", memoryGb: 16, gpu: "any", fromVersion: "0.3.0", platform: "linux" };
  const filters = viewOfRule(rule);
  expect(filters).toMatchObject({ named: "lab", memory: "16", gpu: "any", from: "0.3.0", platform: "linux" });
  expect(ruleFilterOf(filters)).toEqual(rule);
  expect(listArgsOf(filters)).toEqual({ ...rule, order: "name" });
  expect(chipsOf({ ...filters, owner: "t1" }).map(({ words }) => words)).toEqual([
    "name with “lab”",
    "version 0.3.0 or newer",
    "at least 16 GB of memory",
    "a GPU",
    "one owner",
  ]);
  expect(ruleFilterOf({ ...noFilters, memory: "much" })).toEqual({});
});

it("finds the devices that could run a model, and those that could not", () => {
  const filters = { ...noFilters, fits: "4.2", lacks: "9" };
  expect(listArgsOf(filters)).toEqual({ fitsGb: 4.2, lacksGb: 9, order: "name" });
  expect(chipsOf(filters)).toEqual([
    { part: "fits", words: "in service, at least 4.2 GB for jobs" },
    { part: "lacks", words: "in service, less than 9.0 GB for jobs" },
  ]);
  expect(listArgsOf({ ...noFilters, fits: "much", lacks: "-1" })).toEqual({ order: "name" });
});

it("offers states and facets with their numbers of devices", () => {
  const labels = stateOptions(counts).map(({ label }) => label);
  expect(labels.slice(0, 3)).toEqual(["Any state (11)", "Online (5)", "Needs attention"]);
  expect(facetOptions(counts, "platform", "Any system", "")).toEqual([
    { value: "", label: "Any system" },
    { value: "win32", label: "Windows (7)" },
    { value: "linux", label: "Linux (4)" },
  ]);
  expect(facetOptions(counts, "group", "Any group", "Gone").at(-1)).toEqual({ value: "Gone", label: "Gone" });
  expect(fleetWords(counts)).toBe("11 devices, 3 donating");
});

it("offers only concerns that some device has, and keeps a chosen one", () => {
  const some = { ...counts, facets: [{ of: "concern", name: "stuck", devices: 3 }] };
  expect(concernOptions(some, "").map(({ label }) => label)).toEqual([
    "Any concern",
    "Stuck at its start (3)",
  ]);
  expect(concernOptions({ ...some, facets: [] }, "")).toEqual([]);
  expect(concernOptions({ ...some, facets: [] }, "failing").map(({ value }) => value)).toEqual([
    "",
    "failing",
  ]);
  expect(listArgsOf({ ...noFilters, concern: "stuck" })).toMatchObject({ concern: "stuck" });
  expect(listArgsOf({ ...noFilters, concern: "unknown" })).not.toHaveProperty("concern");
});
