import type { ModelFile } from "../../app/contract/runner.ts";
import type { WorkView } from "../../app/contract/snapshot.ts";
import type { ChatRequest, ChatResult, JobError } from "../../app/jobs/chat.ts";
import type { Log } from "../log.ts";
import { jobErrors } from "../runner/job-errors.ts";
import { chatRequest } from "../runner/messages.ts";
import type { RunnerJob, RunEvents, RunOutcome } from "../runner/supervisor.ts";
import type { Handler, JobContext } from "../worker/handler.ts";
import { JobFailure, JobLetGo } from "../worker/job-failure.ts";
import { WorkProgress } from "./work-progress.ts";

/** The part of the runner's supervisor that chat jobs need. */
export type ChatRunner = {
  readonly restingUntil: number | null;
  run(job: RunnerJob, events: RunEvents): Promise<RunOutcome>;
  abort(): Promise<void>;
};

export type ChatWorkParts = {
  readonly runner: ChatRunner;
  readonly threads: number;
  readonly log: Log;
  /** The verified file of a model of the organization's; null where there is none. */
  readonly findModel: (modelId: string) => ModelFile | null;
  /** The runner found this model's file missing or corrupt: before this returns it has to count as unusable. */
  readonly onBadModel: (sha256: string) => void;
  /** After crashes: no job is to be taken before then (ms since the epoch). */
  readonly onRest: (until: number) => void;
  readonly onWork: (view: WorkView | null) => void;
};

const malformed = "The request is not one that a device accepts.";

/** The handler of jobs of kind "chat": has the runner answer them, one at a time. */
export function chatHandler(parts: ChatWorkParts): Handler {
  return async (payload, ctx) => {
    const request = chatRequest.safeParse(payload).data;
    if (request === undefined) throw new JobFailure("internal_error", malformed, { retryable: false });
    const model = parts.findModel(ctx.requirements.model ?? "");
    if (model === null) throw failureOf(jobErrors.modelMissing);
    return answerOf(await run(parts, request, model, ctx), parts, model, ctx);
  };
}

async function run(
  { runner, threads, onWork }: ChatWorkParts,
  request: ChatRequest,
  model: ModelFile,
  ctx: JobContext,
): Promise<RunOutcome> {
  const { attemptId, signal } = ctx;
  const progress = new WorkProgress({ attemptId, modelId: model.modelId, startedAt: Date.now() }, onWork);
  signal.addEventListener("abort", () => void runner.abort(), { once: true });
  const outcome = await runner.run(
    { attemptId, model, request, threads },
    {
      loaded: () => progress.loaded(),
      text: (text) => {
        progress.text(text);
        ctx.append(text);
      },
    },
  );
  progress.end();
  onWork(null);
  return outcome;
}

function answerOf(
  outcome: RunOutcome,
  { runner, log, onBadModel, onRest }: ChatWorkParts,
  model: ModelFile,
  ctx: JobContext,
): Pick<ChatResult, "text" | "finishReason"> {
  if (outcome.kind === "aborted") throw new JobLetGo();
  if (outcome.kind === "failed") {
    if (isOfModelFile(outcome.error)) onBadModel(model.sha256);
    if (runner.restingUntil !== null) onRest(runner.restingUntil);
    throw failureOf(outcome.error);
  }
  const { text, finishReason, usage, timing } = outcome.result;
  log("info", "chat.answered", { attemptId: ctx.attemptId, ...usage, ...timing });
  ctx.report({ usage, timing });
  return { text, finishReason };
}

/** Without its model's file this device cannot run the job, which is no fault of the job. */
function failureOf(error: JobError): JobFailure {
  const { code, message, retryable } = error;
  return new JobFailure(code, message, { retryable, unfit: isOfModelFile(error) });
}

function isOfModelFile({ code }: JobError): boolean {
  return code === "model_corrupt" || code === "model_unavailable";
}
