import { type FunctionReference, makeFunctionReference } from "convex/server";
import {
  type GenericValidator,
  type Infer,
  type ObjectType,
  type PropertyValidators,
  v,
} from "convex/values";
import { jobStatus } from "../../../shared/validators.ts";
import { fleet } from "./fleet.ts";
import { rangeCount, scan } from "./ranges.ts";
import type { ScopeCounts } from "./tally.ts";
import { lanePace } from "./waits.ts";

/** The queries of the count that runs each minute (counts.ts). An action calls them in sequence. */
export const countQueries = {
  /** All lanes, ordered by scope. `cursor` null: the first page, or no further page. */
  lanesToCount: {
    args: { cursor: v.union(v.string(), v.null()) },
    returns: v.object({
      lanes: v.array(v.object({ laneId: v.id("lanes"), scope: v.string(), name: v.string() })),
      cursor: v.union(v.string(), v.null()),
    }),
  },
  scan: { args: { laneIds: v.array(v.id("lanes")) }, returns: scan },
  countRange: { args: { laneId: v.id("lanes"), status: jobStatus, level: v.number() }, returns: rangeCount },
  /** Of at most `lanesPerScan` lanes. */
  paces: { args: { laneIds: v.array(v.id("lanes")) }, returns: v.array(lanePace) },
  largeFleet: { args: { scope: v.string() }, returns: v.union(fleet, v.null()) },
} as const;

type QueryOf<Task extends { readonly args: PropertyValidators; readonly returns: GenericValidator }> =
  FunctionReference<"query", "internal", ObjectType<Task["args"]>, Infer<Task["returns"]>>;

const queries = Object.fromEntries(
  Object.keys(countQueries).map((name) => [name, makeFunctionReference(`counts:${name}`)]),
) as unknown as { readonly [Name in keyof typeof countQueries]: QueryOf<(typeof countQueries)[Name]> };

export const counts = {
  ...queries,
  count: makeFunctionReference<"action", Record<string, never>, null>("counts:count"),
  note: makeFunctionReference<"mutation", ScopeCounts, null>("counts:note"),
} as const;
