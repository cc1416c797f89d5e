import { assertNever } from "../../app/assert-never.ts";
import type { WorkView } from "../../app/contract/snapshot.ts";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { ChatRequest, JobError } from "../../app/jobs/chat.ts";
import { errorName, type Log } from "../log.ts";
import type { RunnerJob, RunEvents, RunOutcome } from "../runner/supervisor.ts";
import { happening, withResolvers } from "../with-resolvers.ts";
import { type AttemptEffect, type AttemptEvent, type AttemptState, step } from "./attempt-machine.ts";
import type { AttemptBackend, Claimed } from "./backend.ts";
import { ChunkAppender } from "./chunk-appender.ts";
import { withRetries } from "./with-retries.ts";
import { WorkProgress } from "./work-progress.ts";

/** The part of the runner's supervisor that an attempt needs. */
export type Runner = {
  run(job: RunnerJob, events: RunEvents): Promise<RunOutcome>;
  abort(): Promise<void>;
};

export type AttemptParts = {
  readonly backend: AttemptBackend;
  readonly runner: Runner;
  readonly threads: number;
  readonly log: Log;
  readonly onProgress: (view: WorkView) => void;
  /** Asked when the result is sent: whether this device takes another job right after. */
  readonly wantsNext: () => boolean;
};

export type AttemptEnd = {
  /** A job that came with the settlement: it is held already. */
  readonly next: Claimed | null;
  /** The SHA-256 of the model's file where the runner found it missing or corrupt. */
  readonly badModel: string | null;
};

/** One job from its claim to its end on this device: runs it, streams it, and tells the backend. */
export class HeldAttempt {
  readonly attemptId: string;
  /** Resolves when nothing is left to do for it; never rejects. */
  readonly ended: Promise<AttemptEnd>;
  readonly #parts: AttemptParts;
  readonly #appender: ChunkAppender | null;
  readonly #stopped = happening();
  readonly #end = withResolvers<AttemptEnd>();
  #state: AttemptState = { kind: "running" };
  #badModel: string | null = null;

  constructor(claimed: Claimed, request: ChatRequest, model: ModelFile, parts: AttemptParts) {
    this.attemptId = claimed.attemptId;
    this.ended = this.#end.promise;
    this.#parts = parts;
    this.#appender = claimed.watched
      ? new ChunkAppender(
          (seq, text) => parts.backend.append(this.attemptId, seq, text),
          () => this.#on({ kind: "gone" }),
        )
      : null;
    void this.#run(claimed, request, model);
  }

  get state(): AttemptState["kind"] {
    return this.#state.kind;
  }

  /** Stops the runner and gives the job back. Resolves when the runner is off the CPU. */
  async yield(reason: string): Promise<void> {
    this.#on({ kind: "yield", reason });
    await this.#stopped.promise;
  }

  /** The backend says that it is no longer ours. */
  gone(): void {
    this.#on({ kind: "gone" });
  }

  async #run(claimed: Claimed, request: ChatRequest, model: ModelFile): Promise<void> {
    const progress = new WorkProgress(claimed, Date.now(), this.#parts.onProgress);
    const job = { attemptId: this.attemptId, model, request, threads: this.#parts.threads };
    const outcome = await this.#parts.runner.run(job, {
      loaded: () => progress.loaded(),
      text: (text) => {
        progress.text(text);
        this.#appender?.push(text);
      },
    });
    progress.end();
    if (outcome.kind === "failed" && isOfModelFile(outcome.error)) this.#badModel = model.sha256;
    this.#on(outcome.kind === "aborted" ? { kind: "stopped" } : outcome);
    this.#stopped.resolve();
  }

  #on(event: AttemptEvent): void {
    const { next, effect } = step(this.#state, event);
    this.#state = next;
    if (next.kind !== "running" && next.kind !== "completing") this.#appender?.close();
    if (effect !== null) void this.#perform(effect);
    else if (next.kind === "ended") this.#end.resolve({ next: null, badModel: this.#badModel });
  }

  async #perform(effect: AttemptEffect): Promise<void> {
    const { backend, runner, log } = this.#parts;
    const { attemptId } = this;
    if (effect.kind === "abort") return runner.abort();
    let next: Claimed | null = null;
    try {
      switch (effect.kind) {
        case "complete": {
          this.#appender?.finish();
          const settled = await withRetries(() =>
            backend.complete(attemptId, effect.result, this.#parts.wantsNext()),
          );
          if (settled.kind === "settled") next = settled.next;
          log("info", "attempt.completed", {
            attemptId,
            outcome: settled.kind,
            ...effect.result.usage,
            ...effect.result.timing,
          });
          break;
        }
        case "fail": {
          const { kind } = await withRetries(() => backend.fail(attemptId, effect.error));
          log("warn", "attempt.failed", { attemptId, code: effect.error.code, outcome: kind });
          break;
        }
        case "release": {
          const { kind } = await withRetries(() => backend.release(attemptId, effect.reason));
          log("info", "attempt.released", { attemptId, reason: effect.reason, outcome: kind });
          break;
        }
        default:
          assertNever(effect);
      }
    } catch (error) {
      // What is still held then shows in `work.held`, and is given back from there.
      log("error", "attempt.call-refused", { attemptId, call: effect.kind, error: errorName(error) });
    }
    this.#state = step(this.#state, { kind: "answered" }).next;
    this.#end.resolve({ next, badModel: this.#badModel });
  }
}

function isOfModelFile({ code }: JobError): boolean {
  return code === "model_corrupt" || code === "model_unavailable";
}
