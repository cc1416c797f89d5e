import { expect, it } from "vitest";
import type { FunctionRun } from "../runtime/execution/function-run.ts";
import { Usage } from "./usage.ts";

const run: FunctionRun = {
  requestId: "r",
  component: "queue",
  identifier: "jobs.js:claim",
  kind: "Mutation",
  caller: "Client",
  startedAt: 0,
  durationMs: 1,
  failure: null,
  logLines: [],
  retries: 0,
  documentsRead: null,
};

it("runs are counted by function, kind and caller", () => {
  const usage = new Usage();
  usage.ended(run);
  usage.ended({ ...run, retries: 3, failure: { kind: "failure", message: "lost" } });
  usage.ended({ ...run, caller: "Scheduler" });
  usage.ended({ ...run, component: "" });
  const { component, kind } = run;
  const claim = { component, function: "jobs.js:claim", kind };
  expect(usage.snapshot()).toEqual([
    { ...claim, caller: "Client", runs: 2, failures: 1, retries: 3, documentsReadMax: 0 },
    { ...claim, caller: "Scheduler", runs: 1, failures: 0, retries: 0, documentsReadMax: 0 },
    { ...claim, component: "", caller: "Client", runs: 1, failures: 0, retries: 0, documentsReadMax: 0 },
  ]);
});

it("the run of a query that read the most documents is kept", () => {
  const usage = new Usage();
  for (const documentsRead of [2, 40, 7]) usage.ended({ ...run, kind: "Query", documentsRead });
  expect(usage.snapshot()).toMatchObject([{ runs: 3, documentsReadMax: 40 }]);
});

it("a run that has started and not ended is running", () => {
  const usage = new Usage();
  usage.started();
  usage.started();
  usage.ended(run);
  expect(usage.running).toBe(1);
});

it("calls of missing functions count as one function, in whichever component", () => {
  const usage = new Usage();
  for (const component of ["a", "b"]) usage.ended({ ...run, component, identifier: null });
  expect(usage.snapshot()).toMatchObject([{ component: "", function: "(not found)", runs: 2 }]);
});
