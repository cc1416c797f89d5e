import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ModelFile } from "../../app/contract/runner.ts";
import { effectiveRules } from "../../app/policy/rule-layers.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { watchForReturn } from "../donor/input/return-watch.ts";
import { initialSnapshot } from "../donor/reports/views.ts";
import { answerCalls } from "../face/answer-call.ts";
import { fakeHandlers } from "../face/handlers.fixture.ts";
import { socketAddress } from "../face/local-socket/address.ts";
import { callDonor } from "../face/local-socket/client.ts";
import { type LocalSocket, serveLocalSocket } from "../face/local-socket/server.ts";
import { createSnapshotStore } from "../face/snapshot-store.ts";
import { silentLog } from "../log.ts";
import { demoModel, planOf, runnerEntry, testConfinement } from "../runner/runner.fixture.ts";
import { idleFromFile } from "../sensors/base/idle.ts";
import { ModelBenchmark } from "./model-benchmark.ts";
import { forkRunner } from "./process/fork-runner.ts";
import { RunnerSupervisor } from "./supervisor.ts";

/** The same model so often that the measurement is far from done when it is stopped. */
const times = 500;
const patienceMs = 60_000;

let folder: string;
let idleFile: string;
let model: ModelFile;
let runner: RunnerSupervisor;
let server: LocalSocket;
let measured: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-bench-"));
  idleFile = join(folder, "idle");
  await writeFile(idleFile, "600");
  model = await demoModel();
  measured = 0;
  const program = { version: "0", shell: "headless", name: "bench", bundledModels: [] } as const;
  const rules = effectiveRules({ base: defaultRules, donor: {}, organization: { values: {}, locked: [] } });
  const settings = { pause: null, donateNowUntil: null, finishThenPause: false, rules: {} };
  // It does not donate: it has only just started.
  const snapshot = createSnapshotStore(initialSnapshot(program, settings, rules, null));
  runner = new RunnerSupervisor(() => forkRunner(runnerEntry)(testConfinement), silentLog);
  const benchmark = new ModelBenchmark({
    runner,
    plans: {
      planFor: (file) => planOf(file),
      learn: () => Promise.resolve(false),
      measured: () => void (measured += 1),
    },
    models: () => Array.from({ length: times }, () => model),
    snapshot,
    watchForReturn: (onReturn) => watchForReturn(idleFromFile(idleFile), onReturn),
  });
  const handlers = fakeHandlers({ bench: ({ modelId }, gone) => benchmark.measure(modelId, gone) });
  server = await serveLocalSocket(folder, answerCalls("terminal", handlers, silentLog), silentLog);
});

afterEach(async () => {
  await server.close();
  await runner.stop();
  await rm(folder, { recursive: true });
});

const underWay = () => expect.poll(() => measured, { timeout: patienceMs }).toBeGreaterThan(0);
const stopped = () => expect.poll(() => runner.pid, { timeout: patienceMs }).toBeUndefined();

it("stops a benchmark when a person comes back, and says so for each remaining model", async () => {
  const asked = callDonor(folder, "bench", { modelId: null }, patienceMs);
  await underWay();
  await writeFile(idleFile, "0");
  const answer = await asked;
  if (answer.kind !== "ok") throw new Error(answer.kind);
  expect(runner.pid).toBeUndefined();
  expect(answer.value.models).toHaveLength(times);
  expect(answer.value.models.at(-1)).toEqual({
    kind: "failed",
    modelId: model.modelId,
    why: "Stopped, since the computer was needed.",
  });
});

it("continues a benchmark while the person who started it uses the computer", async () => {
  const type = (): void => writeFileSync(idleFile, readFileSync(idleFile, "utf8") === "1" ? "0" : "1");
  type();
  const typing = setInterval(type, 200);
  try {
    const socket = ask();
    await expect.poll(() => measured).toBeGreaterThan(6);
    socket.destroy();
    await stopped();
  } finally {
    clearInterval(typing);
  }
});

it("stops a benchmark when its caller leaves, and allows another one", async () => {
  const socket = ask();
  await underWay();
  socket.destroy();
  await stopped();
  expect(measured).toBeLessThan(times);
  const again = callDonor(folder, "bench", { modelId: "no-such-model" }, patienceMs);
  expect(await again).toEqual({ kind: "refused", message: "no-such-model is not on this computer." });
});

it("does not count the first answer on a GPU, whose driver still compiles", async () => {
  const usage = { promptTokens: 256, completionTokens: 65 };
  const timings = [
    { prefillMs: 8_000, generateMs: 2_000 },
    { prefillMs: 100, generateMs: 640 },
  ];
  let answers = 0;
  const measuredOn = (backend: "vulkan" | "cpu") => {
    answers = 0;
    const report = { modelId: "m", loadMs: 0, backend, gpuLayers: 1, contextTokens: 1_024, sequences: 1 };
    return new ModelBenchmark({
      runner: {
        abort: () => Promise.resolve(),
        yield: () => Promise.resolve(),
        run: (_job, { loaded }) => {
          loaded({ ...report, passedOver: [] });
          const timing = timings[answers++] ?? { prefillMs: 0, generateMs: 0 };
          return Promise.resolve({
            kind: "done",
            result: { text: "", finishReason: "length", usage, timing },
          });
        },
      },
      plans: {
        planFor: (file) => planOf(file),
        learn: () => Promise.resolve(false),
        measured: () => undefined,
      },
      models: () => [model],
      snapshot: {
        get: () => ({ work: null, activity: { kind: "standby" } as never }),
        onDelta: () => () => undefined,
      },
      watchForReturn: () => () => undefined,
    }).measure(null);
  };
  expect(await measuredOn("vulkan")).toMatchObject({
    value: { models: [{ prefill: 2_560, generate: 100 }] },
  });
  expect(answers).toBe(2);
  expect(await measuredOn("cpu")).toMatchObject({ value: { models: [{ prefill: 32, generate: 32 }] } });
  expect(answers).toBe(1);
});

/** Asks as the command does, whose connection closes when it is ended with Ctrl-C. */
function ask(): ReturnType<typeof connect> {
  const socket = connect(socketAddress(folder).path);
  socket.write(`${JSON.stringify({ id: 1, call: "bench", argument: { modelId: null } })}\n`);
  return socket;
}
