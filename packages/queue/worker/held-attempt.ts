import type { Value } from "convex/values";
import { assertNever } from "../shared/assert-never.ts";
import { type AttemptEffect, type AttemptEvent, type AttemptState, step } from "./attempt-machine.ts";
import type { Handler, JobContext } from "./handler.ts";
import { happening } from "./happening.ts";
import { attemptErrorOf, JobFailure, JobLetGo } from "./job-failure.ts";
import { errorName, type Log } from "./log.ts";
import { ProgressReports } from "./progress-reports.ts";
import type { Acknowledged, AttemptError, ClaimedJob } from "./protocol.ts";
import { TextStream } from "./text-stream.ts";

/** The calls that an attempt ends with. Each is tried again by whoever makes it. */
export type AttemptCalls = {
  append(attemptId: string, seq: number, text: string): Promise<Acknowledged>;
  progress(attemptId: string, view: Value): Promise<Acknowledged>;
  complete(attemptId: string, result: Value, report: Value | undefined): Promise<{ readonly kind: string }>;
  fail(attemptId: string, error: AttemptError): Promise<{ readonly kind: string }>;
  release(attemptId: string, reason: string): Promise<{ readonly kind: string }>;
};

export type AttemptParts = {
  readonly calls: AttemptCalls;
  readonly handler: Handler;
  readonly chunkEveryMs: number;
  readonly progressEveryMs: number;
  readonly log: Log;
  readonly onProgress: (attemptId: string, view: Value) => void;
  /** The queue did not take in how it ended: it may still count it as ours. */
  readonly onUnsettled: (attemptId: string) => void;
};

/** One job from when it was handed out to its end at this worker: runs its handler, streams its text, tells the queue. */
export class HeldAttempt {
  readonly attemptId: string;
  readonly #job: ClaimedJob;
  readonly #parts: AttemptParts;
  readonly #stream: TextStream;
  readonly #progress: ProgressReports;
  readonly #controller = new AbortController();
  readonly #letGo = happening();
  readonly #ended = happening();
  #report: Value | undefined;
  #state: AttemptState = { kind: "waiting" };

  constructor(job: ClaimedJob, parts: AttemptParts) {
    this.attemptId = job.attemptId;
    this.#job = job;
    this.#parts = parts;
    this.#stream = new TextStream({
      append: (seq, text) => parts.calls.append(job.attemptId, seq, text),
      onFenced: () => this.gone(),
      everyMs: parts.chunkEveryMs,
      watched: job.watched,
    });
    this.#progress = new ProgressReports({
      say: (view) => parts.calls.progress(job.attemptId, view),
      onFenced: () => this.gone(),
      onRefused: (error) =>
        parts.log("warn", "attempt.progress-refused", {
          attemptId: job.attemptId,
          error: errorName(error),
        }),
      everyMs: parts.progressEveryMs,
    });
  }

  get state(): AttemptState {
    return this.#state;
  }

  /** Resolves when no handler is at it (any more). */
  get letGo(): Promise<unknown> {
    return this.#letGo.promise;
  }

  /** Resolves when nothing is left to do for it; never rejects. */
  get ended(): Promise<unknown> {
    return this.#ended.promise;
  }

  begin(): void {
    this.#on({ kind: "begin" });
  }

  /** Has the handler let go, and gives the job back. */
  yield(reason: string): void {
    this.#on({ kind: "yield", reason });
  }

  /** The queue says that it is no longer ours. */
  gone(): void {
    this.#on({ kind: "gone" });
  }

  setWatched(watched: boolean): void {
    this.#stream.setWatched(watched);
  }

  #on(event: AttemptEvent): void {
    const { next, effect } = step(this.#state, event);
    this.#state = next;
    const { kind } = next;
    if (kind !== "waiting" && kind !== "running" && kind !== "completing") this.#stream.close();
    if (kind !== "waiting" && kind !== "running") this.#progress.close();
    if (kind === "releasing" || kind === "ended") this.#letGo.resolve();
    if (effect !== null) this.#perform(effect);
    else if (kind === "ended") this.#ended.resolve();
  }

  #perform(effect: AttemptEffect): void {
    switch (effect.kind) {
      case "run":
        void this.#run();
        return;
      case "abort":
        this.#controller.abort();
        return;
      case "complete":
      case "fail":
      case "release":
        void this.#tell(effect);
        return;
      default:
        assertNever(effect);
    }
  }

  async #run(): Promise<void> {
    let event: AttemptEvent;
    try {
      event = {
        kind: "done",
        result: (await this.#parts.handler(this.#job.payload, this.#context())) ?? null,
      };
    } catch (error) {
      const asked = this.#controller.signal.aborted && !(error instanceof JobFailure);
      const letGo = asked || error instanceof JobLetGo;
      event = letGo ? { kind: "stopped" } : { kind: "failed", error: attemptErrorOf(error) };
    }
    this.#on(event);
    this.#letGo.resolve();
  }

  #context(): JobContext {
    const { attemptId, jobId, kind, requirements, number, remainingMs } = this.#job;
    return {
      ...{ attemptId, jobId, kind, requirements, number, remainingMs },
      signal: this.#controller.signal,
      append: (text) => this.#stream.push(text),
      report: (facts) => {
        this.#report = facts;
      },
      progress: (view) => {
        this.#progress.set(view);
        this.#parts.onProgress(attemptId, view);
      },
    };
  }

  async #tell(effect: Extract<AttemptEffect, { kind: "complete" | "fail" | "release" }>): Promise<void> {
    const { log, calls } = this.#parts;
    const { attemptId } = this;
    try {
      switch (effect.kind) {
        case "complete": {
          this.#stream.finish();
          const { kind: outcome } = await calls.complete(attemptId, effect.result, this.#report);
          log("info", "attempt.completed", { attemptId, outcome });
          break;
        }
        case "fail": {
          const { kind: outcome } = await calls.fail(attemptId, effect.error);
          log("warn", "attempt.failed", { attemptId, code: effect.error.code, outcome });
          break;
        }
        case "release": {
          const { kind: outcome } = await calls.release(attemptId, effect.reason);
          log("info", "attempt.released", { attemptId, reason: effect.reason, outcome });
          break;
        }
        default:
          assertNever(effect);
      }
    } catch (error) {
      // What is still held then shows in `held`, and is given back from there.
      this.#parts.onUnsettled(attemptId);
      log("error", "attempt.call-refused", { attemptId, call: effect.kind, error: errorName(error) });
    }
    this.#on({ kind: "answered" });
  }
}
