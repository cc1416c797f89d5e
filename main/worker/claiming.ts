import { errorName, type Log } from "../log.ts";
import type { Backend, Claimed, Unsubscribe } from "./backend.ts";
import { pickCandidate } from "./candidates.ts";

/** After a claim that was refused (not lost to another device): wait so long before the next. */
const refusedPauseMs = 2_000;

/** A job that was taken may be given back unseen, between two looks at the list: tried again after this. */
const triedForMs = 1_000;

export type ClaimingParts = {
  readonly backend: Pick<Backend, "onReady" | "claim">;
  readonly runner: { readonly restingUntil: number | null };
  readonly log: Log;
  readonly random: () => number;
  readonly onClaimed: (claimed: Claimed) => void;
  readonly wake: (reason: "candidates" | "claim-answered" | "rest-over") => void;
};

/** How the device stands towards a next job. */
export type Readiness = {
  /** It wants one, and has none. */
  readonly free: boolean;
  /** The backend knows this connection and what the device can run. */
  readonly greeted: boolean;
  readonly connected: boolean;
};

/** Watches the ready jobs and claims one of them, one claim at a time. */
export class Claiming {
  readonly #parts: ClaimingParts;
  #watching: Unsubscribe | null = null;
  #candidates: readonly string[] = [];
  readonly #tried = new Set<string>();
  #triedTimer: NodeJS.Timeout | undefined;
  #underWay = false;
  #restUntil = 0;
  #restTimer: NodeJS.Timeout | undefined;

  constructor(parts: ClaimingParts) {
    this.#parts = parts;
  }

  /** A claim was sent and is not answered. */
  get underWay(): boolean {
    return this.#underWay;
  }

  /** When claiming may go on after crashes or refusals (ms since the epoch); null when at once. Wakes then. */
  resting(): number | null {
    const until = Math.max(this.#restUntil, this.#parts.runner.restingUntil ?? 0);
    if (until <= Date.now()) return null;
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#parts.wake("rest-over"), until - Date.now() + 1);
    return until;
  }

  /** Does what is due; may be called again and again. */
  look(readiness: Readiness): void {
    this.#watch(readiness);
    // While there is no connection a claim would wait, and come out when it is no longer wanted.
    if (this.#watching !== null && !this.#underWay && readiness.connected) this.#claimOne();
  }

  stop(): void {
    clearTimeout(this.#restTimer);
    clearTimeout(this.#triedTimer);
  }

  /** Subscribed to ready jobs only while one could be claimed: nobody else is woken by them. */
  #watch({ free, greeted }: Readiness): void {
    if (free && greeted && !this.#underWay && this.#watching === null) {
      this.#watching = this.#parts.backend.onReady((jobIds) => {
        this.#candidates = jobIds;
        this.#parts.wake("candidates");
      });
    } else if (!free && this.#watching !== null) {
      this.#watching();
      this.#watching = null;
      this.#candidates = [];
      this.#tried.clear();
    }
  }

  #claimOne(): void {
    const { backend, log, random, onClaimed, wake } = this.#parts;
    const jobId = pickCandidate(this.#candidates, this.#tried, random);
    if (jobId === null) return;
    this.#underWay = true;
    this.#tried.add(jobId);
    backend
      .claim(jobId)
      .then((outcome) => {
        this.#underWay = false;
        log("debug", "claim.answered", { outcome: outcome.kind });
        if (outcome.kind === "claimed") onClaimed(outcome.claimed);
        else if (outcome.kind === "taken") this.#forgetTriedLater();
        else this.#restUntil = Date.now() + refusedPauseMs;
      })
      .catch((error: unknown) => {
        this.#underWay = false;
        this.#restUntil = Date.now() + refusedPauseMs;
        log("warn", "claim.refused", { error: errorName(error) });
      })
      .finally(() => wake("claim-answered"));
  }

  #forgetTriedLater(): void {
    clearTimeout(this.#triedTimer);
    this.#triedTimer = setTimeout(() => {
      this.#tried.clear();
      this.#parts.wake("candidates");
    }, triedForMs);
  }
}
