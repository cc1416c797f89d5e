import { expect, test } from "vitest";
import { PublishedApp } from "./published-app.ts";

const app = new PublishedApp("retrier");
const start = (name: string, failures: number, more: object = {}) =>
  app.mutation("runs:start", { name, failures, ...more });
const attempts = (name: string) => app.query("runs:attempts", { name });
const ended = (runId: unknown, outcome: string) => app.until("runs:endings", { runId }, [outcome]);

test("an action is retried until it succeeds, and its result is kept until it is cleaned up", async () => {
  const runId = await start("shaky", 2);
  const seen = app.watch("runs:status", { runId });
  await ended(runId, "success");
  const completed = { type: "completed", result: { type: "success", returnValue: "attempt 3" } };
  await expect.poll(() => seen.at(-1)).toEqual(completed);
  expect(seen[0]).toEqual({ type: "inProgress" });
  await app.mutation("runs:cleanup", { runId });
  await expect(app.query("runs:status", { runId })).rejects.toThrow();
});

test("an action that fails too often ends as failed", async () => {
  const runId = await start("broken", 100);
  await ended(runId, "failed");
  expect(await attempts("broken")).toBe(3);
  expect(await app.query("runs:status", { runId })).toMatchObject({
    result: { type: "failed", error: expect.stringContaining("attempt 3 failed") as string },
  });
});

test("a canceled action never runs", async () => {
  const runId = await start("late", 0, { afterMs: 3_600_000 });
  expect(await app.query("runs:status", { runId })).toEqual({ type: "inProgress" });
  await app.mutation("runs:cancel", { runId });
  await ended(runId, "canceled");
  expect(await attempts("late")).toBe(0);
});
