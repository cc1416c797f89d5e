import { expect, test } from "vitest";
import { conflictReportSchema } from "./conflict-report.ts";
import { ConflictStats } from "./conflict-stats.ts";

test("what the statistics say is read back as it was, and nothing of it is lost", () => {
  const stats = new ConflictStats(() => 1_800_000_000_000);
  const conflict = { table: "jobs", documentId: "j1", index: "by_lane", range: null };
  stats.ran("jobs:claim");
  stats.conflicted("jobs:claim", conflict, true);
  stats.conflicted("jobs:claim", conflict, false);
  const report = { functions: stats.snapshot() };
  expect(conflictReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
});

test("an answer of something else is refused", () => {
  expect(conflictReportSchema.safeParse({ functions: { "jobs:claim": { runs: 1 } } }).success).toBe(false);
});
