import { randomUUID } from "node:crypto";
import { type CallAnswer, ok, refused, type Reply } from "../../app/contract/donor-calls.ts";
import type { LoadPlan, LoadReport, ModelFile } from "../../app/contract/runner.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { perSecond } from "../../app/contract/speed.ts";
import type { ChatResult } from "../../app/jobs/chat.ts";
import type { Work } from "../../app/jobs/work.ts";
import type { ModelPlans } from "./plan/model-plans.ts";
import type { RunnerSupervisor } from "./supervisor.ts";

type BenchmarkDeps = {
  readonly runner: Pick<RunnerSupervisor, "run" | "abort" | "yield">;
  readonly plans: Pick<ModelPlans, "planFor" | "measured" | "learn">;
  /** The verified models of the organization. */
  readonly models: () => readonly ModelFile[];
  readonly snapshot: {
    readonly get: () => Pick<DonorSnapshot, "work" | "activity">;
    readonly onDelta: (listener: (delta: Partial<DonorSnapshot>) => void) => () => void;
  };
  /** Calls back when a person comes back to the computer; returns the unsubscriber. */
  readonly watchForReturn: (onReturn: () => void) => () => void;
};

/** One measurement under way. After it is stopped, no further model is measured. */
type Run = { attemptId: string | null; stopped: boolean };

type Measured = CallAnswer<"bench">["models"][number];

/** The least for a meaningful result. Summed over several answers, since some models give short ones. */
const enough = { readTokens: 128, writtenTokens: 32, ms: 20 };
const mostAnswers = 12;
/** A GPU's driver compiles its programs when each is used for the first time, so the first answers are slow. */
const uncountedOnGpu = 1;
const stoppedWords = "Stopped, since the computer was needed.";
const readTokens = 256;
const writtenTokens = 64;

type Sum = { tokens: number; ms: number };
type Answered = { readonly load: LoadReport; readonly result: ChatResult };

/**
 * Measures models on this device, one after another, with its own runner: the tokens per second that each reads and
 * writes. A person asked for it, so it runs whether or not the donor donates. It stops when something makes a donating
 * donor yield, when a person comes back to the computer of a donor that does not donate, and when the caller leaves.
 */
export class ModelBenchmark {
  readonly #deps: BenchmarkDeps;
  #running = false;

  constructor(deps: BenchmarkDeps) {
    this.#deps = deps;
  }

  /**
   * @param modelId null: every model that is here.
   * @param gone aborts when the caller no longer waits for the answer.
   */
  async measure(modelId: string | null, gone?: AbortSignal): Promise<Reply<CallAnswer<"bench">>> {
    const here = this.#deps.models();
    const wanted = modelId === null ? here : here.filter((model) => model.modelId === modelId);
    if (this.#running) return refused("Another measurement is under way.");
    if (this.#deps.snapshot.get().work !== null) {
      return refused("A job is under way and would slow the measurement. Run `gleaner finish` first.");
    }
    if (wanted.length === 0) {
      return refused(
        modelId === null ? "No model is on this computer yet." : `${modelId} is not on this computer.`,
      );
    }
    const { runner } = this.#deps;
    const run: Run = { attemptId: null, stopped: gone?.aborted ?? false };
    // While the donor donates, its own rules decide whether input stops the work.
    const unwatch = this.#deps.watchForReturn(() => {
      if (this.#isDonating) return;
      run.stopped = true;
      void runner.yield({ warmMs: 0 });
    });
    const leave = (): void => {
      run.stopped = true;
      if (run.attemptId !== null) void runner.abort(run.attemptId);
    };
    gone?.addEventListener("abort", leave);
    this.#running = true;
    try {
      const models: Measured[] = [];
      for (const model of wanted) models.push(await this.#measureOne(model, run));
      return ok({ models });
    } finally {
      this.#running = false;
      unwatch();
      gone?.removeEventListener("abort", leave);
      // While the donor donates, its next job may want the model.
      if (!this.#isDonating) await runner.yield({ warmMs: 0 });
    }
  }

  get #isDonating(): boolean {
    return this.#deps.snapshot.get().activity.kind === "donating";
  }

  async #measureOne(model: ModelFile, run: Run): Promise<Measured> {
    const { plans } = this.#deps;
    const { modelId } = model;
    if (run.stopped) return failed(modelId, stoppedWords);
    await plans.learn([model], () => !run.stopped);
    const plan = plans.planFor(model);
    const read: Sum = { tokens: 0, ms: 0 };
    const written: Sum = { tokens: 0, ms: 0 };
    let loadMs = 0;
    for (let answers = 0; answers < mostAnswers; answers++) {
      const answered = await this.#answer(model, plan, run);
      if (typeof answered === "string") return failed(modelId, answered);
      const { load, result } = answered;
      const { usage, timing } = result;
      loadMs += load.loadMs;
      if (load.backend !== "cpu" && answers < uncountedOnGpu) continue;
      add(read, usage.promptTokens - (usage.cachedPromptTokens ?? 0), timing.prefillMs);
      // The first token comes with the prompt.
      add(written, usage.completionTokens - 1, timing.generateMs);
      if (!isEnough(read, enough.readTokens) || !isEnough(written, enough.writtenTokens)) continue;
      const { backend, gpuLayers } = load;
      const speed = {
        prefill: perSecond(read.tokens, read.ms),
        generate: perSecond(written.tokens, written.ms),
      };
      plans.measured(model, { ...speed, backend });
      return { kind: "measured", modelId, ...speed, backend, gpuLayers, loadMs, threads: plan.threads };
    }
    return failed(modelId, "Its answers were too short to measure.");
  }

  /** One answer with no other job beside it, or a sentence that says why there is no answer. */
  async #answer(model: ModelFile, plan: LoadPlan, run: Run): Promise<Answered | string> {
    const { runner, snapshot } = this.#deps;
    if (run.stopped) return stoppedWords;
    const others: string[] = [];
    const unsubscribe = snapshot.onDelta(({ work }) => {
      if (work != null) others.push(work.attemptId);
    });
    const loads: LoadReport[] = [];
    const attemptId = `bench-${randomUUID()}`;
    run.attemptId = attemptId;
    const outcome = await runner.run(
      { attemptId, model, work: workFor(plan), plan },
      { loaded: (report) => loads.push(report), text: () => undefined, measured: () => undefined },
    );
    run.attemptId = null;
    unsubscribe();
    const load = loads[0];
    if (outcome.kind === "aborted") {
      run.stopped = true;
      return stoppedWords;
    }
    if (outcome.kind === "released") return "The model's program ended. Try again.";
    if (outcome.kind === "failed") return outcome.error.message;
    if (others.length > 0) return "A job started meanwhile. Try again.";
    if (load === undefined || !("finishReason" in outcome.result)) return "It gave no text.";
    return { load, result: outcome.result };
  }
}

function add(sum: Sum, tokens: number, ms: number): void {
  sum.tokens += tokens;
  sum.ms += ms;
}

function isEnough({ tokens, ms }: Sum, leastTokens: number): boolean {
  return tokens >= leastTokens && ms >= enough.ms;
}

/**
 * A series of numbers to continue. It starts at a random one, so that no cached prompt fits. The answer is sampled at a
 * high temperature, since most models then do not stop early.
 */
function workFor({ contextTokens }: LoadPlan): Work {
  const numbers = Math.min(readTokens, contextTokens / 2) / 4;
  const first = Math.floor(Math.random() * 800) + 100;
  const prompt = Array.from({ length: numbers }, (_, index) => String(first + index)).join(", ");
  return {
    kind: "completion",
    request: { prompt, maxTokens: writtenTokens, temperature: 2, topP: 1, seed: first, stop: [] },
  };
}

function failed(modelId: string, why: string): Measured {
  return { kind: "failed", modelId, why };
}
