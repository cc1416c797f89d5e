import type { Value } from "convex/values";
import type { Handler, JobContext } from "./handler.ts";
import { attemptErrorOf, JobFailure, JobLetGo } from "./job-failure.ts";
import type { HandlerEnd } from "./machine/state.ts";
import type { ClaimedJob } from "./protocol.ts";

export type HandlerRunsDeps = {
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly onText: (attemptId: string, text: string) => void;
  readonly onProgress: (attemptId: string, view: Value) => void;
  readonly onEnd: (attemptId: string, end: HandlerEnd) => void;
};

/** The handlers that are at work. */
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
      const letGo = wasAsked || error instanceof JobLetGo;
      end = letGo ? { kind: "stopped" } : { kind: "failed", error: attemptErrorOf(error) };
    }
    this.#controllers.delete(attemptId);
    this.#deps.onEnd(attemptId, end);
  }

  abort(attemptId: string): void {
    this.#controllers.get(attemptId)?.abort();
  }

  #contextOf(job: ClaimedJob, signal: AbortSignal, report: JobContext["report"]): JobContext {
    const { onText, onProgress } = this.#deps;
    const { attemptId, jobId, kind, requirements, number, remainingMs } = job;
    return {
      signal,
      attemptId,
      jobId,
      kind,
      requirements,
      number,
      remainingMs,
      append: (text) => onText(attemptId, text),
      report,
      progress: (view) => onProgress(attemptId, view),
    };
  }
}

const noHandler: Handler = async (_payload, { kind }) => {
  throw new JobFailure("no_handler", `This worker runs no jobs of kind "${kind}".`, { unfit: true });
};
