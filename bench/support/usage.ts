import * as z from "zod";
import { askAsAdmin } from "./admin.ts";
import { adminKey } from "./backend-process.ts";

const functionsSchema = z.array(
  z.object({
    component: z.string(),
    function: z.string(),
    kind: z.enum(["Query", "Mutation", "Action", "HttpAction"]),
    caller: z.enum(["Client", "Scheduler", "Action"]),
    runs: z.number(),
    failures: z.number(),
    retries: z.number(),
    documentsReadMax: z.number(),
  }),
);

const usageSchema = z.object({
  functions: functionsSchema,
  tables: z.record(
    z.string(),
    z.object({ inserted: z.number(), replaced: z.number(), deleted: z.number(), bytes: z.number() }),
  ),
  conflicts: z.number(),
});

/** A backend's counts since its start. */
export type Usage = z.infer<typeof usageSchema>;
export type Functions = Usage["functions"];

type Totals = {
  /** Mutations and actions of clients. */
  readonly calls: number;
  /** Runs of queries: first runs, and reruns after commits. */
  readonly queryRuns: number;
  readonly scheduledRuns: number;
  /** Insertions, patches and deletions, including those of scheduled functions. */
  readonly documents: number;
  readonly bytes: number;
  /** Commits that lost a conflict. */
  readonly conflicts: number;
};

/** Reads the backend's counts, which need its admin key. */
export async function usageOf(url: string, key = adminKey): Promise<Usage> {
  return usageSchema.parse(await askAsAdmin(url, "_system/embedded/usage", key));
}

/** The difference between two readings. */
export function between(before: Usage, after: Usage): Usage {
  const runsBefore = new Map(before.functions.map((each) => [keyOf(each), each]));
  return {
    functions: after.functions.map((each) => {
      const was = runsBefore.get(keyOf(each));
      return {
        ...each,
        runs: each.runs - (was?.runs ?? 0),
        failures: each.failures - (was?.failures ?? 0),
        retries: each.retries - (was?.retries ?? 0),
      };
    }),
    tables: Object.fromEntries(
      Object.entries(after.tables).map(([name, counts]) => {
        const was = before.tables[name] ?? { inserted: 0, replaced: 0, deleted: 0, bytes: 0 };
        return [
          name,
          {
            inserted: counts.inserted - was.inserted,
            replaced: counts.replaced - was.replaced,
            deleted: counts.deleted - was.deleted,
            bytes: counts.bytes - was.bytes,
          },
        ];
      }),
    ),
    conflicts: after.conflicts - before.conflicts,
  };
}

export function totalsOf({ functions, tables, conflicts }: Usage): Totals {
  const runs = (of: (each: Functions[number]) => boolean): number =>
    functions.filter(of).reduce((sum, each) => sum + each.runs, 0);
  const written = Object.entries(tables).filter(([name]) => isCounted(name));
  const isQuery = ({ kind }: Functions[number]): boolean => kind === "Query";
  return {
    calls: runs((each) => each.caller === "Client" && !isQuery(each)),
    queryRuns: runs((each) => each.caller === "Client" && isQuery(each)),
    scheduledRuns: runs((each) => each.caller === "Scheduler"),
    documents: written.reduce(
      (sum, [, { inserted, replaced, deleted }]) => sum + inserted + replaced + deleted,
      0,
    ),
    bytes: written.reduce((sum, [, { bytes }]) => sum + bytes, 0),
    conflicts,
  };
}

/** Tables and scheduled functions of the app and its components, without the backend's own. */
function isCounted(table: string): boolean {
  const name = table.slice(table.lastIndexOf("/") + 1);
  return !name.startsWith("_") || name === "_scheduled_functions";
}

function keyOf({ component, function: name, kind, caller }: Functions[number]): string {
  return [component, name, kind, caller].join(" ");
}
