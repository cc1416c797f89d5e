import { randomUUID } from "node:crypto";
import type { LoadReport, ModelFile } from "../../../app/contract/runner.ts";
import type { MeasuredSpeed } from "../../../app/contract/speed.ts";
import type { Work } from "../../../app/jobs/work.ts";
import {
  type FailureDeps,
  type JobRunner,
  logLoad,
  noteFailure,
} from "../../supervisor/jobs/job-handlers.ts";
import type { ModelPlans } from "../../supervisor/plan/model-plans.ts";

type WarmUpDeps = FailureDeps & {
  readonly runner: JobRunner;
  readonly plans: Pick<ModelPlans, "fits" | "planFor">;
  /** The organization's models that are on this device. */
  readonly usable: () => readonly ModelFile[];
  /** The last use of the model by a job, in ms since the epoch; 0: never. */
  readonly usedAt: (sha256: string) => number;
  readonly onLoaded: (model: ModelFile, report: LoadReport) => void;
  readonly onMeasured: (model: ModelFile, speed: MeasuredSpeed) => void;
  /** Runs the load as a job would be run, for example once the GPU's load is known. */
  readonly around: (model: ModelFile, load: () => Promise<void>) => Promise<void>;
};

/** One token. The first answer also makes a GPU's driver compile its programs. */
const work: Work = {
  kind: "completion",
  request: { prompt: "1", maxTokens: 1, temperature: 0, topP: 1, seed: 1, stop: [] },
};

/**
 * Loads a model when the donor starts to donate, so that the first job finds it in memory: the one that a job used last, of those
 * that fit. A job comes first: a load of another model ends for it.
 */
export class WarmUp {
  readonly #deps: WarmUpDeps;
  #isWanted = false;
  #loading: { readonly attemptId: string; readonly sha256: string } | null = null;

  constructor(deps: WarmUpDeps) {
    this.#deps = deps;
  }

  /** Loads a model now, or once one is known to fit. */
  begin(): void {
    this.#isWanted = true;
    this.modelsChanged();
  }

  /** Call it when other models may fit. */
  modelsChanged(): void {
    if (!this.#isWanted || this.#loading !== null) return;
    const { plans, usable, usedAt } = this.#deps;
    const [model] = usable()
      .filter((each) => plans.fits(each))
      .toSorted((a, b) => usedAt(b.sha256) - usedAt(a.sha256));
    if (model === undefined) return;
    this.#isWanted = false;
    void this.#load(model).catch((error: unknown) => {
      this.#loading = null;
      this.#deps.log("warn", "warm-up.failed", { error: error instanceof Error ? error.name : "unknown" });
    });
  }

  /** A job loads the model that it needs. */
  jobBegins({ sha256 }: ModelFile): void {
    if (this.#loading?.sha256 === sha256) this.#isWanted = false;
    else this.cancel();
  }

  cancel(): void {
    this.#isWanted = false;
    const loading = this.#loading;
    this.#loading = null;
    if (loading !== null) void this.#deps.runner.abort(loading.attemptId);
  }

  async #load(model: ModelFile): Promise<void> {
    const { runner, plans, log, around, onLoaded, onMeasured } = this.#deps;
    const attemptId = `warm-${randomUUID()}`;
    const loading = { attemptId, sha256: model.sha256 };
    this.#loading = loading;
    await around(model, async () => {
      // A job or a yield may have come meanwhile, and the memory may be gone.
      if (this.#loading !== loading || !plans.fits(model)) return;
      const job = { attemptId, model, work, plan: plans.planFor(model) };
      const outcome = await runner.run(
        job,
        {
          loaded: (report) => {
            logLoad(log, attemptId, report);
            onLoaded(model, report);
          },
          text: () => undefined,
          measured: (speed) => onMeasured(model, speed),
        },
        attemptId,
      );
      noteFailure(outcome, this.#deps, job);
    });
    if (this.#loading === loading) this.#loading = null;
  }
}
