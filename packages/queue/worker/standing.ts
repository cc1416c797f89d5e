import type { BackOff } from "./back-off.ts";
import type { Calls, Unsubscribe } from "./calls.ts";
import { chooseClaim, compareStands, type LateSince, stillLate } from "./claim-choice.ts";
import { errorName, type Log } from "./log.ts";
import type { Candidate, Candidates, ClaimedJob, Cursor, Stand, Wish } from "./protocol.ts";
import type { WorkerTimes } from "./times.ts";

export type StandingParts = {
  readonly calls: Calls;
  readonly log: Log;
  readonly times: WorkerTimes;
  /** Told of refusals: nothing is claimed while it waits. */
  readonly backOff: BackOff;
  readonly onClaimed: (job: ClaimedJob, cursor: Cursor) => void;
  /** Jobs that came while it waited; some may be known. */
  readonly onHanded: (jobs: readonly ClaimedJob[]) => void;
  readonly wake: (reason: "candidates" | "claim-answered" | "rest-over") => void;
};

/** What a worker does while it waits for a job: it stands in its lanes, watches the ready jobs there, and claims one at a time. */
export class Standing {
  readonly #parts: StandingParts;
  /** Null: it stands nowhere, as far as it knows. */
  #stands: readonly Stand[] | null = null;
  #unfollow: Unsubscribe | null = null;
  #jobs: readonly Candidate[] = [];
  #lateSince: LateSince = new Map();
  readonly #tried = new Set<string>();
  #triedTimer: ReturnType<typeof setTimeout> | undefined;
  #lateTimer: ReturnType<typeof setTimeout> | undefined;
  #claiming = false;

  constructor(parts: StandingParts) {
    this.#parts = parts;
  }

  /** A claim was sent and is not answered. */
  get claiming(): boolean {
    return this.#claiming;
  }

  get stands(): readonly Stand[] | null {
    return this.#stands;
  }

  /** Where the queue says that this worker now waits; null: nowhere, it has to ask for jobs. */
  standAt(stands: readonly Stand[] | null): void {
    const same = this.#stands !== null && stands !== null && compareStands(this.#stands, stands) === "same";
    if (!same) this.#follow(null);
    this.#stands = stands;
  }

  /**
   * Does what is due; may be called again and again.
   * @param wish null while no job is wanted; `jobs`: how many beside the one that is claimed.
   * @param soon what is held will be done in a moment: it goes on following, and claims nothing meanwhile.
   */
  look(wish: Wish | null, canCall: boolean, soon = false): void {
    if (wish === null && soon && !this.#claiming) return;
    if (wish === null || this.#stands === null || this.#claiming) {
      this.#follow(null);
      return;
    }
    if (this.#unfollow === null) this.#follow(this.#stands);
    // While there is no connection a claim would wait, and come out when it is no longer wanted.
    if (canCall) this.#claimOne(wish);
  }

  stop(): void {
    this.#follow(null);
    clearTimeout(this.#triedTimer);
  }

  /** Subscribed to ready jobs only while one could be claimed: nobody else is woken by them. */
  #follow(stands: readonly Stand[] | null): void {
    this.#unfollow?.();
    this.#unfollow = null;
    this.#jobs = [];
    clearTimeout(this.#lateTimer);
    if (stands === null) return;
    const { calls, log } = this.#parts;
    const failed = (query: string) => (error: unknown) =>
      log("warn", "backend.query-failed", { query, error: errorName(error) });
    const unfollowJobs = calls.follow(
      "candidates",
      { stands },
      (seen) => this.#see(seen),
      failed("candidates"),
    );
    const unfollowHanded = calls.follow("handed", {}, (jobs) => this.#take(jobs), failed("handed"));
    this.#unfollow = () => {
      unfollowJobs();
      unfollowHanded();
    };
  }

  #take(handed: readonly ClaimedJob[]): void {
    if (handed.length === 0) return;
    this.#parts.onHanded(handed);
    this.#parts.wake("candidates");
  }

  #see({ stands, jobs }: Candidates): void {
    switch (compareStands(this.#stands ?? [], stands)) {
      case "take-again":
        this.standAt(null);
        break;
      case "follow-these":
        this.standAt(stands);
        break;
      case "same":
        this.#lateSince = stillLate(this.#lateSince, jobs, performance.now());
        this.#jobs = jobs;
    }
    this.#parts.wake("candidates");
  }

  #claimOne(wish: Wish): void {
    const { times, wake } = this.#parts;
    const { lateAfterMs, heldLateAfterMs } = times;
    const at = { now: performance.now(), lateAfterMs, heldLateAfterMs };
    const choice = chooseClaim(this.#jobs, this.#tried, this.#lateSince, at);
    clearTimeout(this.#lateTimer);
    if (choice.kind === "wait") this.#lateTimer = setTimeout(() => wake("candidates"), choice.ms);
    if (choice.kind === "claim") void this.#claim(choice.candidate, wish);
  }

  async #claim({ jobId, late, laneId, crowded = false }: Candidate, wish: Wish): Promise<void> {
    const { calls, log, backOff, onClaimed, wake } = this.#parts;
    this.#claiming = true;
    this.#tried.add(jobId);
    // The claim changes what it shows: followed, it would run again for nothing.
    this.#follow(null);
    const retry = (): void => wake("rest-over");
    try {
      const outcome = await calls.say("claim", {
        jobId,
        late,
        laneId,
        ...(crowded ? { crowded } : {}),
        wish,
      });
      log("debug", "claim.answered", { outcome: outcome.kind, late });
      if (outcome.kind === "unable") {
        this.#forgetTriedLater();
        backOff.refused(retry);
      } else {
        backOff.taken();
        if (outcome.kind === "taken") this.#forgetTriedLater();
        else {
          // It may come back: after a failure, a release, a lost lease.
          this.#tried.delete(jobId);
          this.#stands = outcome.stands.length > 0 ? outcome.stands : null;
          onClaimed(outcome.job, outcome.cursor);
        }
      }
    } catch (error) {
      log("warn", "claim.refused", { error: errorName(error) });
      this.#forgetTriedLater();
      backOff.refused(retry);
    }
    this.#claiming = false;
    wake("claim-answered");
  }

  #forgetTriedLater(): void {
    clearTimeout(this.#triedTimer);
    this.#triedTimer = setTimeout(() => {
      this.#tried.clear();
      this.#parts.wake("candidates");
    }, this.#parts.times.triedForMs);
  }
}
