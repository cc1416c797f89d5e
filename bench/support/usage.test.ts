import { expect, it } from "vitest";
import { between, type Functions, totalsOf, type Usage } from "./usage.ts";

const ran = (name: string, runs: number, also: Partial<Functions[number]> = {}): Functions[number] => ({
  component: "",
  function: name,
  kind: "Mutation",
  caller: "Client",
  runs,
  failures: 0,
  retries: 0,
  documentsReadMax: 0,
  ...also,
});
const wrote = (inserted: number, replaced: number, deleted: number, bytes: number) => ({
  inserted,
  replaced,
  deleted,
  bytes,
});

const before: Usage = { functions: [ran("a", 3)], tables: { jobs: wrote(1, 2, 3, 40) }, conflicts: 2 };
const after: Usage = {
  functions: [
    ran("a", 5, { retries: 4 }),
    ran("a", 1, { caller: "Scheduler" }),
    ran("b", 7, { kind: "Query" }),
    ran("c", 2, { kind: "Action", component: "queue" }),
  ],
  tables: {
    jobs: wrote(2, 4, 6, 100),
    "queue/leases": wrote(0, 1, 0, 8),
    "queue/_scheduled_functions": wrote(1, 1, 0, 20),
    _session_requests: wrote(9, 0, 0, 900),
    _cron_runs: wrote(9, 0, 0, 900),
  },
  conflicts: 5,
};

it("the usage between two readings subtracts the earlier counts from the later ones", () => {
  expect(between(before, after)).toEqual({
    ...after,
    functions: [ran("a", 2, { retries: 4 }), ...after.functions.slice(1)],
    tables: { ...after.tables, jobs: wrote(1, 2, 3, 60) },
    conflicts: 3,
  });
});

it("the totals separate calls from runs of queries and of the scheduler, and ignore the backend's own tables", () => {
  expect(totalsOf(between(before, after))).toEqual({
    calls: 4,
    queryRuns: 7,
    scheduledRuns: 1,
    documents: 6 + 1 + 2,
    bytes: 60 + 8 + 20,
    conflicts: 3,
  });
});
