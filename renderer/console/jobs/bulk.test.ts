import { expect, it } from "vitest";
import type { JobRow } from "../data/rows.ts";
import { bulkDone, planOf } from "./bulk.ts";

const job = (status: JobRow["status"], change: Partial<JobRow> = {}): JobRow =>
  ({ jobId: status, status, priority: "normal", error: null, ...change }) as JobRow;
const tooLong = { code: "context_length_exceeded", message: "Too long." };
const selected = [
  job("waiting"),
  job("running"),
  job("succeeded"),
  job("failed", { error: tooLong }),
  job("expired"),
  job("ready", { priority: "high" }),
];
const ids = (change: Parameters<typeof planOf>[0]) => planOf(change, selected).jobs.map(({ jobId }) => jobId);

it("changes only the jobs that it can, and says why the others stay", () => {
  expect(ids({ kind: "cancel" })).toEqual(["waiting", "running", "ready"]);
  expect(ids({ kind: "priority", priority: "high" })).toEqual(["waiting"]);
  expect(ids({ kind: "discard" })).toEqual(["failed", "expired"]);
  expect(ids({ kind: "retry" })).toEqual(["expired"]);
  const { title, sentences, danger } = planOf({ kind: "cancel" }, selected);
  expect([title, danger]).toEqual(["Cancel 3 jobs?", true]);
  expect(sentences).toContain("3 selected jobs will not change: they have ended.");
});

it("tells how many jobs changed", () => {
  expect(bulkDone(3, 3)).toBe("3 jobs changed.");
  expect(bulkDone(1, 3)).toContain("1 job of 3");
});
