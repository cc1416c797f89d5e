// scheduler-crash.test.ts runs this file as a separate process and kills it in the middle of its work.
import { startScheduling } from "../compose/start-scheduling.ts";
import { openEngine } from "../engine/engine.ts";
import { openFixture } from "../runtime/runtime.fixture.ts";

const [, , path = "", count = "0"] = process.argv;
const { call, engine, runner } = await openFixture({ engine: openEngine({ path }) });
const schedule = (number: number) => call("later:scheduleNote", { text: String(number), delayMs: 0 });
await Promise.all(Array.from({ length: Number(count) }, (_, number) => schedule(number)));
await startScheduling({
  engine,
  runtime: { scheduled: runner.scheduled, crons: [], componentPaths: [""] },
  onError: console.error,
});
console.log("running");
