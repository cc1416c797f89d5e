import { expect, test } from "vitest";
import { conflictReportSchema } from "./conflict-report.ts";
import { ConflictStats } from "./conflict-stats.ts";

test("a report of conflicts is parsed without loss", () => {
  const stats = new ConflictStats(() => 1_800_000_000_000);
  const conflict = { table: "jobs", documentId: "j1", index: "by_lane", range: null };
  stats.ran("jobs:claim");
  stats.conflicted("jobs:claim", conflict, true);
  stats.conflicted("jobs:claim", conflict, false);
  const report = { functions: stats.snapshot() };
  expect(conflictReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
});

test("an answer of another shape is refused", () => {
  expect(conflictReportSchema.safeParse({ functions: { "jobs:claim": { runs: 1 } } }).success).toBe(false);
});
