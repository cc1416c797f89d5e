import { afterEach, expect, test } from "vitest";
import { startScheduling } from "../compose/start-scheduling.ts";
import { openEngine } from "../engine/engine.ts";
import type { Engine } from "../engine/model/types.ts";
import { transact } from "../engine/transact/transact.ts";
import { createFunctionRuntime } from "../runtime/create-function-runtime.ts";
import { type Fixture, fixtureBundle, openFixture } from "../runtime/runtime.fixture.ts";
import { insertScheduled, runTablesOf, setScheduledState } from "./scheduled-function.ts";
import { scheduledInState } from "./scheduled-queries.ts";
import { eventually, type ScheduledRow, states } from "./scheduling.fixture.ts";

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function scheduling(options: { readonly engine?: Engine } = {}): Promise<Fixture> {
  const fixture = await openFixture(options);
  const errors: unknown[] = [];
  // Leave out the fixture's crons, which would write notes too.
  const runtime = { scheduled: fixture.runner.scheduled, crons: [], componentPaths: [""] };
  const { close: stop } = await startScheduling({
    engine: fixture.engine,
    runtime,
    onError: (error) => errors.push(error),
  });
  closers.push(
    () => fixture.engine.close(),
    async () => {
      await stop();
      expect(errors).toEqual([]);
    },
  );
  return fixture;
}

const texts = async ({ call }: Fixture): Promise<string[]> =>
  ((await call("notes:byRank", { from: 7, to: 8 })) as { text: string }[]).map(({ text }) => text);

test("a scheduled mutation runs once when it is due, and its row records that", async () => {
  const fixture = await scheduling();
  const id = await fixture.call("later:scheduleNote", { text: "soon", delayMs: 60 });
  expect(await texts(fixture)).toEqual([]);
  await eventually(async () => expect(await texts(fixture)).toEqual(["soon"]));
  const row = (await fixture.call("later:oneScheduled", { id })) as ScheduledRow;
  expect(row).toMatchObject({ name: "later.js:note", args: [{ text: "soon" }], state: { kind: "success" } });
  expect(row.completedTime).toBeGreaterThanOrEqual(row.scheduledTime);
});

test("functions run in the order of their due times", async () => {
  const fixture = await scheduling();
  await fixture.call("later:scheduleNote", { text: "second", delayMs: 700 });
  await fixture.call("later:scheduleNote", { text: "first", delayMs: 20 });
  await eventually(async () => expect(await texts(fixture)).toEqual(["first", "second"]));
});

test("a mutation that fails schedules nothing", async () => {
  const fixture = await scheduling();
  await expect(fixture.call("later:scheduleAndFail")).rejects.toThrow("not scheduled after all");
  expect(await states(fixture)).toEqual([]);
});

test("a scheduled mutation that fails leaves its failure and nothing else", async () => {
  const fixture = await scheduling();
  await fixture.call("later:scheduleNote", { text: "x", delayMs: 0, fails: true });
  await eventually(async () => expect(await states(fixture)).toEqual(["failed"]));
  expect(await texts(fixture)).toEqual([]);
  const [row] = (await fixture.call("later:scheduled")) as [ScheduledRow];
  expect(row.state.error).toMatch(/^Uncaught Error: no note\n {4}at handler \(\.\.\/convex\/later\.ts/);
});

test("a canceled function does not run", async () => {
  const fixture = await scheduling();
  const id = await fixture.call("later:scheduleNote", { text: "never", delayMs: 40 });
  await fixture.call("later:cancel", { id });
  expect(await states(fixture)).toEqual(["canceled"]);
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(await texts(fixture)).toEqual([]);
});

test("scheduled actions run, schedule and cancel", async () => {
  const fixture = await scheduling();
  await fixture.call("later:scheduleAction", { text: "by action" });
  await eventually(async () => expect(await states(fixture)).toEqual(["success"]));
  await fixture.call("later:scheduleFromAction", { text: "from action" });
  await eventually(async () => expect(await states(fixture)).toEqual(["canceled", "success", "success"]));
  expect(await texts(fixture)).toEqual(["by action", "from action"]);
});

test("a hundred functions due at once all run exactly once", async () => {
  const fixture = await scheduling();
  const schedule = (number: number) =>
    fixture.call("later:scheduleNote", { text: String(number), delayMs: 30 });
  await Promise.all(Array.from({ length: 100 }, (_, number) => schedule(number)));
  await eventually(async () => expect(await texts(fixture)).toHaveLength(100));
  expect(new Set(await texts(fixture)).size).toBe(100);
  await eventually(async () => expect(new Set(await states(fixture))).toEqual(new Set(["success"])));
});

test("after a crash, pending functions run and actions in progress count as failed", async () => {
  const engine = openEngine({ path: ":memory:" });
  createFunctionRuntime({ engine, bundle: await fixtureBundle() });
  const tables = runTablesOf([""]);
  const [scheduled, cronRuns] = tables as [string, string];
  await transact(engine, (transaction) => {
    const job = { component: "", args: { text: "again" }, scheduledTime: Date.now() - 5_000 };
    insertScheduled(transaction, scheduled, { name: "later.js:note", ...job });
    insertScheduled(transaction, scheduled, { name: "later.js:gone", ...job });
    for (const table of tables) {
      const interrupted = insertScheduled(transaction, table, { name: "later.js:noteByAction", ...job });
      setScheduledState(transaction, interrupted, { kind: "inProgress" });
    }
  });
  const fixture = await scheduling({ engine });
  await eventually(async () => expect(await states(fixture)).toEqual(["failed", "failed", "success"]));
  expect(await texts(fixture)).toEqual(["again"]);
  const runs = await transact(engine, (transaction) => scheduledInState(transaction, "failed", cronRuns));
  expect(runs).toHaveLength(1);
});
