import { type Handler, type JobContext, JobFailure, ReleaseJob } from "@gleaner/queue/worker";
import type { Value } from "convex/values";
import { jobErrors } from "../../../app/contract/job-errors.ts";
import {
  type LoadPlan,
  type LoadReport,
  type ModelFile,
  parseRunnerWork,
  type RunEvents,
  type RunnerJob,
  type RunnerResult,
  type RunnerWork,
} from "../../../app/contract/runner.ts";
import type { WorkView } from "../../../app/contract/snapshot.ts";
import type { MeasuredSpeed } from "../../../app/contract/speed.ts";
import type { JobError } from "../../../app/jobs/chat.ts";
import { parseCacheOwner } from "../../../app/jobs/payload/payload.ts";
import type { Log } from "../../log.ts";
import type { AttemptOutcome } from "../attempt.ts";
import { WorkProgress } from "./work-progress.ts";

/** The part of the runner's supervisor that jobs need. */
export type JobRunner = {
  /** Milliseconds until the next job may be tried; more than 0 only after a crash. */
  readonly restMs: number;
  run(job: RunnerJob, events: RunEvents, jobId: string): Promise<AttemptOutcome>;
  abort(attemptId: string): Promise<void>;
};

/** Learns what a failure means for this device. */
export type FailureDeps = {
  readonly runner: Pick<JobRunner, "restMs">;
  readonly log: Log;
  /** The model was planned for the GPU's memory only, and could not be loaded there. It must no longer count as fitting. */
  readonly onGpuRefused: (model: ModelFile) => void;
  /** The model's file is missing or corrupt. When this returns, the model must count as unusable. */
  readonly onBadModel: (sha256: string) => void;
  /** Take no job for this many milliseconds, after a crash. */
  readonly onRest: (ms: number) => void;
};

type JobHandlerDeps = FailureDeps & {
  readonly runner: JobRunner;
  /** The verified file of one of the organization's models; null if it is not here. */
  readonly findModel: (modelId: string) => ModelFile | null;
  /** How to load the model now; null if it no longer fits. Then other devices do its jobs. */
  readonly planFor: (model: ModelFile) => LoadPlan | null;
  /** The runner has the model in memory. */
  readonly onLoaded: (model: ModelFile, report: LoadReport) => void;
  readonly onMeasured: (model: ModelFile, speed: MeasuredSpeed) => void;
  readonly onWork: (view: WorkView | null) => void;
};

/** The handlers of all kinds of jobs. They pass each job to the runner. */
export function jobHandlers(deps: JobHandlerDeps): Readonly<Record<RunnerWork["kind"], Handler>> {
  const shown = new ShownJob(deps.onWork);
  const handlerOf =
    (kind: RunnerWork["kind"]): Handler =>
    async (payload, ctx) => {
      const work = parseRunnerWork(kind, payload);
      if (work === null) throw failureOf(jobErrors.unsupportedRequest);
      const model = deps.findModel(ctx.requirements.model ?? "");
      if (model === null) throw failureOf(jobErrors.modelMissing);
      const plan = deps.planFor(model);
      if (plan === null) throw new ReleaseJob();
      const { attemptId, jobId } = ctx;
      const job = { attemptId, jobId, model, work, plan, cacheOwner: parseCacheOwner(payload) };
      return resultOf(await run(deps, shown, job, ctx), deps, job, ctx);
    };
  return {
    chat: handlerOf("chat"),
    completion: handlerOf("completion"),
    embedding: handlerOf("embedding"),
    tokens: handlerOf("tokens"),
    replay: handlerOf("replay"),
  };
}

/** Of several jobs at once, the panel shows the oldest. */
class ShownJob {
  readonly #onWork: (view: WorkView | null) => void;
  readonly #views = new Map<string, WorkView>();

  constructor(onWork: (view: WorkView | null) => void) {
    this.#onWork = onWork;
  }

  show(attemptId: string, view: WorkView | null): void {
    if (view === null) this.#views.delete(attemptId);
    else this.#views.set(attemptId, view);
    const [first = null] = this.#views.values();
    if (view === null || first === view) this.#onWork(first);
  }
}

async function run(
  { runner, log, onLoaded, onMeasured }: JobHandlerDeps,
  shown: ShownJob,
  job: RunnerJob,
  ctx: JobContext,
): Promise<AttemptOutcome> {
  const { attemptId, model, work } = job;
  const shownJob = { attemptId, kind: work.kind, modelId: model.modelId, startedAt: Date.now() };
  const progress = new WorkProgress(shownJob, (view) => shown.show(attemptId, view));
  ctx.signal.addEventListener("abort", () => void runner.abort(attemptId), { once: true });
  const events: RunEvents = {
    loaded: (report) => {
      logLoad(log, attemptId, report);
      onLoaded(model, report);
      progress.loaded();
    },
    text: (piece) => {
      progress.text(piece);
      // Plain JSON, by the runner's protocol.
      ctx.append(piece.text, piece.items as unknown as Value[]);
    },
    measured: (speed) => onMeasured(model, speed),
  };
  const outcome = await runner.run(job, events, ctx.jobId);
  progress.end();
  shown.show(attemptId, null);
  return outcome;
}

export function logLoad(log: Log, attemptId: string, report: LoadReport): void {
  if (report.loadMs === 0) return;
  const { passedOver, ...loaded } = report;
  log("info", "model.loaded", { attemptId, ...loaded });
  for (const { backend, why } of passedOver) {
    log("info", "model.backend-passed-over", { modelId: report.modelId, backend, why });
  }
}

/** After a run that gave no answer: whether this device rests, and whether it goes on offering the model. */
export function noteFailure(
  outcome: AttemptOutcome,
  { runner, onBadModel, onGpuRefused, onRest }: FailureDeps,
  { model, plan }: Pick<RunnerJob, "model" | "plan">,
): void {
  if (outcome.kind !== "done" && runner.restMs > 0) onRest(runner.restMs);
  if (outcome.kind !== "failed") return;
  if (isGpuRefusal(outcome.error, plan)) onGpuRefused(model);
  else if (isOfModelFile(outcome.error)) onBadModel(model.sha256);
}

function isGpuRefusal({ code }: JobError, { backends }: LoadPlan): boolean {
  return code === "out_of_memory" && !backends.includes("cpu");
}

function resultOf(outcome: AttemptOutcome, deps: JobHandlerDeps, job: RunnerJob, ctx: JobContext): Value {
  noteFailure(outcome, deps, job);
  if (outcome.kind === "aborted" || outcome.kind === "released") throw new ReleaseJob();
  if (outcome.kind === "failed") {
    // Another device runs it. That is no failed try, because nothing is wrong with the job.
    throw isGpuRefusal(outcome.error, job.plan) ? new ReleaseJob() : failureOf(outcome.error);
  }
  const { usage, timing } = outcome.result;
  deps.log("info", "job.answered", { attemptId: ctx.attemptId, ...usage, ...timing });
  ctx.report({ usage, timing, model: job.model.sha256 });
  return answerOf(outcome.result);
}

/** The result as the queue stores it, without usage and timing, which are reported separately. */
function answerOf({ usage: _usage, timing: _timing, ...answer }: RunnerResult): Value {
  // Plain JSON, by the runner's protocol. Convex's type for values does not accept read-only types.
  return answer as unknown as Value;
}

/**
 * Another device may do the job at once: one that has the model, memory for the request, or a newer version. This device is
 * unfit for it until it restarts or offers something else. A request that ended the runner is tried by only one more device.
 */
function failureOf(error: JobError): JobFailure {
  const { code, message, retryable } = error;
  return new JobFailure(code, message, {
    retryable,
    unfit: isOfModelFile(error) || unfitCodes.has(code),
    byJob: code === "request_crashed" || code === "request_timeout",
  });
}

const unfitCodes: ReadonlySet<string> = new Set([
  "model_unsuitable",
  "context_too_small",
  "request_unsupported",
]);

function isOfModelFile({ code }: JobError): boolean {
  return code === "model_corrupt" || code === "model_unavailable";
}
