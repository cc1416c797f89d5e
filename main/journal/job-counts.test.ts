import { expect, it } from "vitest";
import type { JournalEntry } from "./entry.ts";
import { JobCounts } from "./job-counts.ts";

it("records single jobs at once, and many jobs in few entries without losing one", () => {
  const written: Extract<JournalEntry, { kind: "jobs" }>[] = [];
  const counts = new JobCounts(
    (entry) => written.push(entry),
    () => 5,
  );
  counts.add({ event: "begun" });
  counts.add({ event: "succeeded", promptTokens: 3, completionTokens: 4 });
  expect(written).toMatchObject([
    { kind: "jobs", at: 5, begun: 1, succeeded: 0 },
    { begun: 0, succeeded: 1, promptTokens: 3, completionTokens: 4 },
  ]);
  const minutes = 60;
  for (let minute = 0; minute < minutes; minute++) {
    for (let job = 0; job < 100; job++) {
      counts.add({ event: "begun" });
      counts.add(job === 7 ? { event: "failed", code: "runner_crashed" } : { event: "let-go" });
    }
    counts.minute();
  }
  counts.stop();
  const sum = (name: "begun" | "failed" | "letGo"): number =>
    written.reduce((all, entry) => all + entry[name], 0);
  expect([sum("begun"), sum("failed"), sum("letGo")]).toEqual([6_001, 60, 5_940]);
  expect(written.reduce((all, { codes }) => all + (codes?.["runner_crashed"] ?? 0), 0)).toBe(60);
  expect(written.length).toBeLessThan(minutes + 25);
});
