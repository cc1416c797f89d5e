import { type Handler, type JobContext, JobFailure, JobLetGo } from "@gleaner/queue/worker";
import type { Value } from "convex/values";
import { jobErrors } from "../../../app/contract/job-errors.ts";
import type {
  Backend,
  LoadPlan,
  LoadReport,
  ModelFile,
  RunnerJob,
  Speed,
} from "../../../app/contract/runner.ts";
import type { WorkView } from "../../../app/contract/snapshot.ts";
import type { JobError } from "../../../app/jobs/chat.ts";
import { parseWork } from "../../../app/jobs/payload.ts";
import type { Work, WorkResult } from "../../../app/jobs/work.ts";
import type { Log } from "../../log.ts";
import type { RunEvents, RunOutcome } from "../attempt.ts";
import { WorkProgress } from "./work-progress.ts";

/** The part of the runner's supervisor that jobs need. */
export type ChatRunner = {
  /** After crashes: milliseconds until the next job may be tried; 0 otherwise. */
  readonly restMs: number;
  run(job: RunnerJob, events: RunEvents): Promise<RunOutcome>;
  abort(attemptId: string): Promise<void>;
};

export type ChatWorkParts = {
  readonly runner: ChatRunner;
  readonly log: Log;
  /** The verified file of a model of the organization's; null where there is none. */
  readonly findModel: (modelId: string) => ModelFile | null;
  /** How the model is to be loaded now; null where it no longer fits: then others are better at its jobs. */
  readonly planFor: (model: ModelFile) => LoadPlan | null;
  /** The runner found this model's file missing or corrupt: before this returns it has to count as unusable. */
  readonly onBadModel: (sha256: string) => void;
  /** The runner has the model in memory, with what it was loaded. */
  readonly onLoaded: (model: ModelFile, report: LoadReport) => void;
  readonly onMeasured: (model: ModelFile, speed: Speed & { readonly backend: Backend }) => void;
  /** The runner's process ended while it had a job of this model. */
  readonly onCrash: (model: ModelFile) => void;
  /** After crashes: no job is to be taken for so many milliseconds. */
  readonly onRest: (ms: number) => void;
  readonly onWork: (view: WorkView | null) => void;
};

const malformed = "The request is not one that a device accepts.";

const kinds = ["chat", "completion", "embedding"] as const satisfies readonly Work["kind"][];

/** The handlers of all kinds of jobs that a device does: they have the runner do them. */
export function jobHandlers(parts: ChatWorkParts): Readonly<Record<Work["kind"], Handler>> {
  const shown = new Shown(parts.onWork);
  const handlerOf =
    (kind: Work["kind"]): Handler =>
    async (payload, ctx) => {
      const work = parseWork(kind, payload);
      if (work === null) throw new JobFailure("internal_error", malformed, { retryable: false });
      const model = parts.findModel(ctx.requirements.model ?? "");
      if (model === null) throw failureOf(jobErrors.modelMissing);
      const plan = parts.planFor(model);
      if (plan === null) throw new JobLetGo();
      return resultOf(await run(parts, shown, work, model, plan, ctx), parts, model, ctx);
    };
  const [chat, completion, embedding] = kinds.map(handlerOf) as [Handler, Handler, Handler];
  return { chat, completion, embedding };
}

/** Of several jobs at once, the panel shows the one that has run for longest. */
class Shown {
  readonly #onWork: (view: WorkView | null) => void;
  readonly #views = new Map<string, WorkView>();

  constructor(onWork: (view: WorkView | null) => void) {
    this.#onWork = onWork;
  }

  tell(attemptId: string, view: WorkView | null): void {
    if (view === null) this.#views.delete(attemptId);
    else this.#views.set(attemptId, view);
    const [first = null] = this.#views.values();
    if (view === null || first === view) this.#onWork(first);
  }
}

async function run(
  { runner, log, onLoaded, onMeasured }: ChatWorkParts,
  shown: Shown,
  work: Work,
  model: ModelFile,
  plan: LoadPlan,
  ctx: JobContext,
): Promise<RunOutcome> {
  const { attemptId, signal } = ctx;
  const progress = new WorkProgress({ attemptId, modelId: model.modelId, startedAt: Date.now() }, (view) =>
    shown.tell(attemptId, view),
  );
  signal.addEventListener("abort", () => void runner.abort(attemptId), { once: true });
  const outcome = await runner.run(
    { attemptId, model, work, plan },
    {
      loaded: (report) => {
        logLoad(log, report);
        onLoaded(model, report);
        progress.loaded();
      },
      text: (text) => {
        progress.text(text);
        ctx.append(text);
      },
      measured: (speed) => onMeasured(model, speed),
    },
  );
  progress.end();
  shown.tell(attemptId, null);
  return outcome;
}

function logLoad(log: Log, report: LoadReport): void {
  if (report.loadMs === 0) return;
  const { passedOver, ...loaded } = report;
  log("info", "model.loaded", loaded);
  for (const { backend, why } of passedOver) {
    log("info", "model.backend-passed-over", { modelId: report.modelId, backend, why });
  }
}

function resultOf(
  outcome: RunOutcome,
  { runner, log, onBadModel, onCrash, onRest }: ChatWorkParts,
  model: ModelFile,
  ctx: JobContext,
): Value {
  if (outcome.kind === "aborted") throw new JobLetGo();
  if (outcome.kind === "failed") {
    if (isOfModelFile(outcome.error)) onBadModel(model.sha256);
    if (outcome.error.code === "runner_crashed") onCrash(model);
    if (runner.restMs > 0) onRest(runner.restMs);
    throw failureOf(outcome.error);
  }
  const { usage, timing } = outcome.result;
  log("info", "job.answered", { attemptId: ctx.attemptId, ...usage, ...timing });
  ctx.report({ usage, timing });
  return answerOf(outcome.result);
}

/** The result without what is reported beside it, as the queue keeps it. */
function answerOf({ usage: _usage, timing: _timing, ...answer }: WorkResult): Value {
  // Plain JSON, by the runner's protocol; Convex's type for values knows no read-only ones.
  return answer as unknown as Value;
}

/** Without its model's file this device cannot run the job, which is no fault of the job. */
function failureOf(error: JobError): JobFailure {
  const { code, message, retryable } = error;
  return new JobFailure(code, message, {
    retryable,
    unfit: isOfModelFile(error) || code === "model_unsuitable",
  });
}

function isOfModelFile({ code }: JobError): boolean {
  return code === "model_corrupt" || code === "model_unavailable";
}
