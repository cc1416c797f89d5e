import { afterEach, beforeEach, expect, it } from "vitest";
import type { JournalEntry } from "../../main/journal/entry.ts";
import { explain } from "../../main/journal/explain.ts";
import { sayExplanation } from "./say-explanation.ts";

let before: string | undefined;
beforeEach(() => {
  before = process.env["TZ"];
  process.env["TZ"] = "UTC";
});
afterEach(() => {
  if (before === undefined) delete process.env["TZ"];
  else process.env["TZ"] = before;
});

const at = (clock: string): number => Date.parse(`2026-11-21T${clock}:00Z`);
const none = { begun: 0, succeeded: 0, failed: 0, letGo: 0, promptTokens: 0, completionTokens: 0 };
const jobs = { kind: "jobs", ...none } as const;
const inUse = { kind: "activity", activity: "standby", reason: "in-use" } as const;

const entries: readonly JournalEntry[] = [
  { kind: "lifecycle", at: at("08:00"), event: "start", version: "0.1.0" },
  { ...inUse, at: at("08:00"), facts: { idleSeconds: 3, locked: null } },
  { kind: "facts", at: at("08:10"), facts: {} },
  {
    kind: "activity",
    at: at("08:15"),
    activity: "donating",
    reason: "idle",
    facts: { idleSeconds: 120, power: "ac", otherCpuLoad: 0.04 },
  },
  { ...jobs, at: at("08:16"), begun: 3 },
  { ...jobs, at: at("08:17"), succeeded: 1, promptTokens: 38, completionTokens: 11 },
  { ...jobs, at: at("08:18"), failed: 2, codes: { runner_crashed: 2 } },
  { ...inUse, at: at("08:25"), facts: { idleSeconds: 0, locked: false } },
  { kind: "lifecycle", at: at("08:40"), event: "stop" },
];

it("lists the spans and totals of an explanation", () => {
  expect(sayExplanation(explain(entries, at("07:30"), at("09:00")))).toBe(
    `
In 1h 30m, since 07:30: donated for 10m (11%). Of 3 jobs started: 1 done, 2 failed (runner_crashed 2 ×) (38 tokens read, 11 written).

  07:30  30m  Not known
  08:00  15m  You are using it  Last input: 3s ago
  08:15  10m  Idle, donating    Last input: 2m ago, Power: mains, Other programs: 4% of the processor
  08:25  15m  You are using it  Last input: just now, Screen locked: no
  08:40  20m  Not running

In all:
  30m  1 ×  Not known         No record of this time: Gleaner did not run yet, or the journal does not go back that far.
  30m  2 ×  You are using it  You are using this computer. Gleaner waits until you have been away for a while.
  20m  1 ×  Not running       Gleaner was not running: it had been stopped.
  10m  1 ×  Idle, donating    Nobody is using this computer, so it works for your organization.
`.trim(),
  );
});

it("folds many short spans into one line", () => {
  const facts = { idleSeconds: 10 };
  const typing = Array.from({ length: 90 }, (_, index): readonly JournalEntry[] => [
    { ...inUse, at: at("08:00") + index * 30_000, facts },
    {
      kind: "activity",
      activity: "donating",
      reason: "within-limits",
      facts,
      at: at("08:00") + index * 30_000 + 18_000,
    },
  ]).flat();
  const said = sayExplanation(explain([...entries.slice(0, 1), ...typing], at("08:00"), at("08:55")));
  expect(said.split("\n").slice(2, 5)).toEqual([
    "  08:00  44m 48s  You are using it, Donating within limits: 179 × in turn",
    "  08:44  10m 12s  Donating within limits                                   Last input: 10s ago",
    "",
  ]);
});
