import type { Value } from "convex/values";
import { assertNever } from "../shared/assert-never.ts";
import type { Handler, JobContext } from "./contract/handler.ts";
import type { ClaimedJob, SubmitOutcome, Subtask } from "./contract/protocol.ts";
import { attemptErrorOf, JobFailure, ReleaseJob } from "./job-failure.ts";
import type { HandlerEnd, HandlerEvent } from "./machine/state.ts";

export type HandlerRunsDeps = {
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly onEvent: (event: HandlerEvent) => void;
  /** Submits subtasks of an attempt. `first`: the number of those that it has submitted before. */
  readonly submit: (attemptId: string, first: number, jobs: readonly Subtask[]) => Promise<SubmitOutcome>;
};

/** The running handlers. */
export class HandlerRuns {
  readonly #deps: HandlerRunsDeps;
  readonly #controllers = new Map<string, AbortController>();

  constructor(deps: HandlerRunsDeps) {
    this.#deps = deps;
  }

  async run(job: ClaimedJob): Promise<void> {
    const { attemptId, kind, payload } = job;
    const handler = this.#deps.handlers[kind] ?? noHandler;
    const controller = new AbortController();
    this.#controllers.set(attemptId, controller);
    let report: Value | undefined;
    const context = this.#contextOf(job, controller.signal, (facts) => {
      report = facts;
    });
    let end: HandlerEnd;
    try {
      const result = (await handler(payload, context)) ?? null;
      end = { kind: "done", result, report };
    } catch (error) {
      const wasAsked = controller.signal.aborted && !(error instanceof JobFailure);
      const letGo = wasAsked || error instanceof ReleaseJob;
      end = letGo ? { kind: "stopped" } : { kind: "failed", error: attemptErrorOf(error) };
    }
    this.#controllers.delete(attemptId);
    this.#deps.onEvent({ kind: "handler-ended", attemptId, end });
  }

  abort(attemptId: string): void {
    this.#controllers.get(attemptId)?.abort();
  }

  #contextOf(job: ClaimedJob, signal: AbortSignal, report: JobContext["report"]): JobContext {
    const { onEvent, submit } = this.#deps;
    let submitted = 0;
    const { attemptId, jobId, kind, requirements, number, remainingMs, fresh } = job;
    return {
      signal,
      attemptId,
      jobId,
      kind,
      requirements,
      number,
      remainingMs,
      fresh,
      append: (text, data = []) => onEvent({ kind: "text", attemptId, text, data }),
      report,
      progress: (view) => onEvent({ kind: "progress", attemptId, view }),
      submit: async (jobs) => {
        const first = submitted;
        submitted += jobs.length;
        return idsOf(await submit(attemptId, first, jobs));
      },
    };
  }
}

function idsOf(outcome: SubmitOutcome): readonly string[] {
  switch (outcome.kind) {
    case "submitted":
      return outcome.jobIds;
    case "fenced":
      throw new ReleaseJob("The attempt is over.");
    case "not-allowed":
      throw new JobFailure(
        "too_many_subtasks",
        `This job may submit at most ${String(outcome.most)} others.`,
        { retryable: false },
      );
    case "full":
    case "busy":
    case "draining":
    case "conflict":
      throw new JobFailure("subtasks_refused", `The queue does not take its subtasks now (${outcome.kind}).`);
    default:
      return assertNever(outcome);
  }
}

const noHandler: Handler = async (_payload, { kind }) => {
  throw new JobFailure("no_handler", `This worker runs no jobs of kind "${kind}".`, { unfit: true });
};
