import { beforeEach, describe, expect, it } from "vitest";
import { jobErrors } from "../../../app/contract/job-errors.ts";
import type { ModelFile, RunEvents, RunnerJob } from "../../../app/contract/runner.ts";
import { silentLog } from "../../log.ts";
import type { AttemptOutcome } from "../../supervisor/attempt.ts";
import { WarmUp } from "./warm-up.ts";

const fileOf = (modelId: string): ModelFile => ({
  modelId,
  path: `/models/${modelId}`,
  sha256: modelId.repeat(64),
  sizeBytes: 1,
  contextTokens: 64,
});
const [a, b] = [fileOf("a"), fileOf("b")];
const plan = { threads: 1, contextTokens: 64, sequences: 1, backends: ["cpu"], gpuLayers: 0 } as never;

let did: string[];
let fitting: ModelFile[];
let lastUsed: ModelFile | null;
let end: (outcome: AttemptOutcome) => void;
let events: RunEvents | null;
let open: () => void;
let gate: Promise<void>;
let warmUp: WarmUp;

beforeEach(() => {
  did = [];
  fitting = [a, b];
  lastUsed = null;
  gate = Promise.resolve();
  warmUp = new WarmUp({
    runner: {
      restMs: 0,
      run: (job: RunnerJob, of: RunEvents) => {
        did.push(`load ${job.model.modelId}`);
        events = of;
        return new Promise((resolve) => (end = resolve));
      },
      abort: async () => {
        did.push("abort");
        end({ kind: "aborted" });
      },
    },
    log: silentLog,
    plans: { fits: (model) => fitting.includes(model), planFor: () => plan },
    usable: () => [a, b],
    usedAt: (sha256) => Number(sha256 === lastUsed?.sha256),
    onLoaded: ({ modelId }) => did.push(`loaded ${modelId}`),
    onMeasured: ({ modelId }) => did.push(`measured ${modelId}`),
    onGpuRefused: ({ modelId }) => did.push(`refused ${modelId}`),
    onBadModel: () => did.push("bad"),
    onRest: () => did.push("rest"),
    around: async (_model, load) => {
      await gate;
      await load();
    },
  });
});

const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
const begin = async (): Promise<void> => {
  warmUp.begin();
  await turn();
};

describe("the model that is loaded before the first job", () => {
  it("is the one that a job used last, and its load teaches as much as a job's", async () => {
    lastUsed = b;
    await begin();
    events?.loaded({
      modelId: "b",
      loadMs: 1,
      backend: "cpu",
      gpuLayers: 0,
      contextTokens: 64,
      sequences: 1,
      passedOver: [],
    });
    events?.measured({ prefill: 1, generate: 1, backend: "cpu" });
    expect(did).toEqual(["load b", "loaded b", "measured b"]);
    end({ kind: "failed", error: jobErrors.modelCorrupt });
    await turn();
    expect(did.at(-1)).toBe("bad");
  });

  it("is loaded once one fits, and only once", async () => {
    fitting = [];
    await begin();
    expect(did).toEqual([]);
    fitting = [b];
    warmUp.modelsChanged();
    await turn();
    end({ kind: "aborted" });
    await turn();
    warmUp.modelsChanged();
    await turn();
    expect(did).toEqual(["load b"]);
  });

  it("gives way to a job of another model, and serves one of its own", async () => {
    await begin();
    warmUp.jobBegins(a);
    expect(did).toEqual(["load a"]);
    warmUp.jobBegins(b);
    expect(did).toEqual(["load a", "abort"]);
  });

  it("is not loaded if a job or a stop came while the GPU was looked at", async () => {
    for (const stop of [() => warmUp.jobBegins(b), () => warmUp.cancel(), () => (fitting = [])]) {
      gate = new Promise((resolve) => (open = resolve));
      end = () => undefined;
      fitting = [a];
      await begin();
      stop();
      open();
      await turn();
    }
    expect(did.filter((each) => each.startsWith("load"))).toEqual([]);
  });
});
