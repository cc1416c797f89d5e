import { expect, test } from "vitest";
import { PublishedApp } from "./published-app.ts";

const app = new PublishedApp("workflow");
const start = (name: string, args: Record<string, unknown>) => app.mutation("runs:start", { name, args });
const completed = (workflowId: unknown, result: unknown) =>
  app.until("runs:status", { workflowId }, { type: "completed", result });
const endings = (workflowId: unknown, outcomes: string[]) =>
  app.until("runs:endings", { workflowId }, outcomes);

test("a workflow's steps use earlier results; some run in parallel, and one inline", async () => {
  const workflowId = await start("steps", { text: "one" });
  const seen = app.watch("runs:status", { workflowId });
  await completed(workflowId, "ONE 3ONE 1");
  await endings(workflowId, ["steps: success"]);
  expect(seen[0]).toEqual({ type: "inProgress" });
  await expect.poll(() => seen.at(-1)).toEqual({ type: "completed", result: "ONE 3ONE 1" });
});

test("while a workflow sleeps, other functions have Convex's own clock and Date", async () => {
  const ms = 1_500;
  const sleepers = await Promise.all(Array.from({ length: 3 }, () => start("sleep", { ms })));
  const [workflowId] = sleepers;
  const until = Date.now() + ms / 2;
  let last = 0;
  while (Date.now() < until) {
    const [before, globals] = [Date.now(), (await app.mutation("runs:globals")) as { readonly now: number }];
    expect(globals).toMatchObject({
      date: "1970-01-01T00:00:00.000Z",
      isDate: true,
      dateName: "Date",
      crypto: "string",
    });
    expect(globals.now).toBeGreaterThanOrEqual(Math.max(before, last));
    expect(globals.now).toBeLessThanOrEqual(Date.now());
    last = globals.now;
  }
  expect(await app.query("runs:status", { workflowId })).toEqual({ type: "inProgress" });
  for (const sleeper of sleepers) await endings(sleeper, ["sleep: success"]);
  const { result } = (await app.query("runs:status", { workflowId })) as { result: Record<string, number> };
  expect(result["after"]! - result["before"]!).toBeGreaterThanOrEqual(ms);
  expect(result).toMatchObject({ dates: [true, true] });
});

test("a workflow's failing step is retried, and fails the workflow when it fails too often", async () => {
  const repaired = await start("retry", { name: "shaky", failures: 2 });
  const broken = await start("retry", { name: "broken", failures: 100 });
  await completed(repaired, 3);
  await endings(broken, ["retry: failed"]);
  expect(await app.query("runs:status", { workflowId: broken })).toEqual({ type: "failed" });
});

test("a canceled workflow ends and reports it; its later steps do not run", async () => {
  const workflowId = await start("sleep", { ms: 3_600_000 });
  await app.mutation("runs:cancel", { workflowId });
  await endings(workflowId, ["sleep: canceled"]);
  expect(await app.query("runs:status", { workflowId })).toEqual({ type: "canceled" });
});

test("a workflow waits for an event", async () => {
  const workflowId = await start("ask", {});
  expect(await app.query("runs:status", { workflowId })).toEqual({ type: "inProgress" });
  await app.mutation("runs:approve", { workflowId, approved: true });
  await completed(workflowId, true);
});

test("a workflow runs another one as a step", async () => {
  await completed(await start("parent", { text: "two" }), "TWO 3TWO 1, nested");
});

test("a workflow's handler has no crypto", async () => {
  await completed(await start("forbidden", {}), "undefined");
});

test("a workflow runs from the command line", async () => {
  const args = JSON.stringify({ args: { text: "three" } });
  const workflowId: unknown = JSON.parse(await app.convex("run", "workflows:steps", args));
  await completed(workflowId, "THREE 5THREE 1");
});
