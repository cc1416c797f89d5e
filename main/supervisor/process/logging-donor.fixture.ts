import { jsonLinesLog } from "../../log.ts";
import { chat, demoModel, planOf } from "../../runner/runner.fixture.ts";
import { RunnerSupervisor } from "../supervisor.ts";
import { forkRunner } from "./fork-runner.ts";

/** A donor that logs as a real one, runs a single job in the runner that is its argument, and ends. */
const log = jsonLinesLog((line) => process.stderr.write(line), "debug");
const supervisor = new RunnerSupervisor(forkRunner(process.argv[2] ?? ""), log);
const model = await demoModel();
const work = { kind: "chat", request: chat("hello") } as const;
await supervisor.run(
  { attemptId: "a", model, work, plan: planOf(model) },
  { loaded: () => undefined, measured: () => undefined, text: () => undefined },
);
await supervisor.stop();
