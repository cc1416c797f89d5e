import type { ModelLoad } from "../../app/contract/runner.ts";
import type { Backend } from "../../app/contract/speed.ts";
import type { Log } from "../log.ts";
import type { Attempt, AttemptOutcome } from "./attempt.ts";
import { CrashBackoff } from "./crash-backoff.ts";
import { KilledJobs } from "./killed-jobs.ts";
import { type EndReason, isKilledFromOutside, isOrderly } from "./process/process-exit.ts";
import type { RunnerExit } from "./process/runner-child.ts";
import { judge, outcomeOf, type ProcessEnd, type Verdict } from "./verdicts.ts";

/** A job was done with this backend, or the process crashed while a model used it. */
export type OnBackend = (sha256: string, backend: Backend, how: "worked" | "crashed") => void;

/** A process that has exited. */
type EndedProcess = {
  readonly endReason: EndReason | null;
  readonly loading: ModelLoad | null;
  readonly exit: RunnerExit;
  /** All attempts of the supervisor, also those that were not sent to this process. */
  readonly attempts: readonly Attempt[];
};

type Consequences = {
  /** How long to take no job, in ms. */
  readonly pauseMs: number;
  /** The attempts that end now. During a pause no new process starts, so those that were not sent end too. */
  readonly outcomes: ReadonlyMap<Attempt, AttemptOutcome>;
};

/** Decides what the end of a process means for its jobs, for the next ones, and for the backend of its model. */
export class RunnerFailures {
  readonly #crashes = new CrashBackoff();
  readonly #killed = new KilledJobs();
  readonly #onBackend: OnBackend;
  readonly #log: Log;

  constructor(onBackend: OnBackend, log: Log) {
    this.#onBackend = onBackend;
    this.#log = log;
  }

  /** Milliseconds until the next job may be tried; more than 0 only after a crash. */
  get restMs(): number {
    return this.#crashes.restMs;
  }

  /** Whether the job may have ended a process before, so that it has to run alone. */
  isSuspect(jobId: string): boolean {
    return this.#killed.isSuspect(jobId);
  }

  succeeded({ jobId, job, load }: Attempt): void {
    this.#crashes.succeeded();
    this.#killed.succeeded(jobId);
    if (load !== null) this.#onBackend(job.model.sha256, load.backend, "worked");
  }

  ended({ endReason, loading, exit, attempts }: EndedProcess): Consequences {
    const used = usedBy(loading, attempts);
    const end: ProcessEnd = {
      reason: endReason,
      outside: endReason === null && isKilledFromOutside(exit),
      loading: loading !== null,
      gpu: used !== null && used.backend !== "cpu",
    };
    const { verdicts, ofDevice } = judge(end, attempts);
    const pauseMs = this.#pauseAfter(end, ofDevice);
    if (isOrderly(endReason)) this.#log("info", "runner.ended", { why: endReason });
    else {
      const { crashes } = this.#crashes;
      const { code, signal, failedCheck = null } = exit;
      const how = { code, signal, failedCheck, why: endReason };
      this.#log("error", "runner.crashed", { ...how, ofDevice, crashes, pauseMs });
    }
    const isNative = (endReason === null && !end.outside) || endReason === "silence";
    if (ofDevice && isNative && used !== null) this.#onBackend(used.sha256, used.backend, "crashed");
    const outcomes = new Map<Attempt, AttemptOutcome>();
    for (const [index, attempt] of attempts.entries()) {
      if (!attempt.sent && pauseMs === 0) continue;
      outcomes.set(attempt, this.#outcomeOf(verdicts[index] ?? "released", attempt, endReason));
    }
    return { pauseMs, outcomes };
  }

  #pauseAfter({ reason }: ProcessEnd, ofDevice: boolean): number {
    if (isOrderly(reason)) return 0;
    return ofDevice ? this.#crashes.crashed() : this.#crashes.endedByRequest();
  }

  #outcomeOf(verdict: Verdict, { jobId }: Attempt, reason: EndReason | null): AttemptOutcome {
    if (verdict === "suspect" || verdict === "caused") this.#killed.suspect(jobId);
    const isReleased = verdict === "released" || verdict === "suspect";
    const tooOften = isReleased && !this.#killed.mayRelease(jobId);
    return outcomeOf(tooOften ? "failed" : verdict, reason);
  }
}

/** The model that the process used last, and with which backend. Null if no job of it tells. */
function usedBy(
  loading: ModelLoad | null,
  attempts: readonly Attempt[],
): { readonly sha256: string; readonly backend: Backend } | null {
  if (loading !== null) {
    const { sha256, backend } = loading;
    return backend === null ? null : { sha256, backend };
  }
  const active = attempts.find(({ loaded }) => loaded);
  if (active?.load == null) return null;
  return { sha256: active.job.model.sha256, backend: active.load.backend };
}
