import { expect, test } from "vitest";
import { startScheduling } from "../../compose/start-scheduling.ts";
import { openEngine } from "../../engine/engine.ts";
import type { Engine } from "../../engine/model/types.ts";
import { transact as write } from "../../engine/transact/transact.ts";
import { openFixture } from "../../runtime/runtime.fixture.ts";
import { fullRange } from "../../values/keys/index-range.ts";
import {
  cronRunTable,
  insertScheduled,
  type ScheduledState,
  scheduledTable,
  setScheduledState,
} from "../scheduled-function.ts";
import { scheduledInState } from "../scheduled-queries.ts";
import { eventually, states } from "../scheduling.fixture.ts";
import { type CronJob, cronTable, formatCronJob, parseCronJob } from "./cron-job.ts";
import type { CronSpec } from "./cron-spec.ts";
import { advanceCron, Crons, reconcileCrons } from "./crons.ts";

const start = Date.parse("2026-11-21T10:00:00Z");
const hourMs = 3_600_000;

const hourly: CronSpec = {
  identifier: "tick",
  function: "later:note",
  args: { text: "tick" },
  schedule: { type: "interval", hours: 1 },
};

async function openTables(): Promise<Engine> {
  return (await openFixture({ engine: openEngine({ path: ":memory:" }) })).engine;
}

async function scheduling(engine: Engine, crons: readonly CronSpec[]) {
  const fixture = await openFixture({ engine });
  const runtime = { scheduled: fixture.runner.scheduled, crons, componentPaths: [""] };
  const onError = (error: unknown) => expect.unreachable(String(error));
  const { close: stop } = await startScheduling({ engine, runtime, onError });
  return { fixture, stop };
}

function cronsOf(engine: Engine): CronJob[] {
  const transaction = engine.begin();
  const scan = transaction.scan(fullRange(cronTable.name, "by_creation_time"), "asc");
  const jobs: CronJob[] = [];
  for (let entry = scan.next(); entry !== null; entry = scan.next()) jobs.push(parseCronJob(entry.document));
  engine.discard(transaction);
  return jobs;
}

const runsIn = (engine: Engine, kind: ScheduledState["kind"], table = cronRunTable.name) =>
  write(engine, (transaction) => scheduledInState(transaction, kind, table));
const pending = (engine: Engine) => runsIn(engine, "pending");

test("the fixture's jobs are read from its crons.ts", async () => {
  const { runner, engine } = await openFixture();
  expect(runner.crons.map(({ identifier, function: name }) => [identifier, name])).toEqual([
    ["tick", "later:note"],
    ["nightly", "later:note"],
  ]);
  await engine.close();
});

test("unchanged jobs keep their time, changed ones start over, and removed ones are deleted", async () => {
  const engine = await openTables();
  const other: CronSpec = {
    ...hourly,
    identifier: "other",
    schedule: { type: "daily", hourUTC: 3, minuteUTC: 0 },
  };
  await write(engine, (transaction) => reconcileCrons(transaction, [hourly, other], start));
  await write(engine, (transaction) => reconcileCrons(transaction, [hourly], start + 5));
  expect(cronsOf(engine).map(({ spec, nextTime }) => [spec.identifier, nextTime])).toEqual([["tick", start]]);
  const changed: CronSpec = { ...hourly, args: { text: "tock" } };
  await write(engine, (transaction) => reconcileCrons(transaction, [changed], start + 7));
  expect(cronsOf(engine).map(({ spec, nextTime }) => [spec.args, nextTime])).toEqual([
    [{ text: "tock" }, start + 7],
  ]);
  await engine.close();
});

test("after a long sleep a job runs once, and then at its usual times", async () => {
  const engine = await openTables();
  await write(engine, (transaction) => reconcileCrons(transaction, [hourly], start));
  const [job] = cronsOf(engine);
  const awake = start + 100.5 * hourMs;
  await write(engine, (transaction) => advanceCron(transaction, (job as CronJob).id, awake));
  await write(engine, (transaction) => advanceCron(transaction, (job as CronJob).id, awake));
  expect(await pending(engine)).toHaveLength(1);
  expect(cronsOf(engine)[0]?.nextTime).toBe(start + 101 * hourMs);
  await engine.close();
});

test("a job does not run again before its last run has ended", async () => {
  const engine = await openTables();
  await write(engine, (transaction) => reconcileCrons(transaction, [hourly], start));
  const { id } = cronsOf(engine)[0] as CronJob;
  await write(engine, (transaction) => advanceCron(transaction, id, start));
  await write(engine, (transaction) => advanceCron(transaction, id, start + hourMs));
  const [run, ...others] = await pending(engine);
  expect(others).toEqual([]);
  await write(engine, (transaction) =>
    setScheduledState(transaction, run?.id as string, { kind: "success" }),
  );
  await write(engine, (transaction) => advanceCron(transaction, id, start + 2 * hourMs));
  expect(await pending(engine)).toHaveLength(1);
  await engine.close();
});

test("a job is scheduled each time it is due", async () => {
  const engine = await openTables();
  const spec: CronSpec = { ...hourly, schedule: { type: "interval", seconds: 1 } };
  const errors: unknown[] = [];
  const crons = new Crons({
    engine,
    specs: () => [spec],
    clock: Date.now,
    onError: (error) => errors.push(error),
  });
  await crons.update();
  const finish = async () => {
    for (const { id } of await pending(engine)) {
      await write(engine, (transaction) => setScheduledState(transaction, id, { kind: "success" }));
    }
    return runsIn(engine, "success");
  };
  await eventually(async () => expect((await finish()).length).toBeGreaterThanOrEqual(2));
  const [first, second] = await finish();
  expect((second?.scheduledTime ?? 0) - (first?.scheduledTime ?? 0)).toBe(1000);
  await crons.close();
  await engine.close();
  expect(errors).toEqual([]);
});

test("a run scheduled by an older release finishes in its table, and no other run starts meanwhile", async () => {
  const engine = await openTables();
  await write(engine, (transaction) => {
    const args = { text: "old" };
    const job = { component: "", name: "later.js:note", args, scheduledTime: 0 };
    const lastRun = insertScheduled(transaction, scheduledTable.name, job);
    transaction.insert(cronTable.name, formatCronJob({ spec: hourly, nextTime: start, lastRun }));
  });
  const { id, lastRun } = cronsOf(engine)[0] as CronJob;
  await write(engine, (transaction) => advanceCron(transaction, id, start));
  expect(await pending(engine)).toEqual([]);
  expect(cronsOf(engine)[0]?.lastRun).toBe(lastRun);
  const { stop } = await scheduling(engine, []);
  await eventually(async () => expect(await runsIn(engine, "success", scheduledTable.name)).toHaveLength(1));
  await stop();
  await engine.close();
});

test("functions cannot see a cron's run, and it has no id of a scheduled function", async () => {
  const engine = openEngine({ path: ":memory:" });
  const { fixture, stop } = await scheduling(engine, [{ ...hourly, function: "later:noteOrigin", args: {} }]);
  const { call } = fixture;
  await eventually(async () => expect(await runsIn(engine, "success")).toHaveLength(1));
  await call("later:scheduleOrigin");
  await eventually(async () => expect(await states(fixture)).toEqual(["success"]));
  const [{ _id: scheduled }] = (await call("later:scheduled")) as [{ _id: string }];
  const notes = (await call("notes:byRank", { from: 7, to: 8 })) as { text: string }[];
  expect(notes.map(({ text }) => text)).toEqual(["not scheduled", scheduled]);

  const [run] = await runsIn(engine, "success");
  expect(await call("later:cronRuns")).toEqual([]);
  expect(await call("later:anySystemDocument", { id: run?.id as string })).toBeNull();
  await expect(call("later:cancelAny", { id: run?.id as string })).rejects.toThrow(
    "Invalid scheduled function ID",
  );
  await stop();
  await engine.close();
});
