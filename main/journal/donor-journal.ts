import type { Handler } from "@gleaner/queue/worker";
import type { ModelView } from "../../app/contract/snapshot.ts";
import type { Facts } from "../../app/facts/facts.ts";
import type { Activity } from "../../app/policy/decision.ts";
import type { Log } from "../log.ts";
import type { JournalEntry } from "./entry.ts";
import { JobCounts } from "./job-counts.ts";
import { Journal } from "./journal.ts";
import { journalFacts } from "./journal-facts.ts";
import { journaledHandler } from "./journaled-handler.ts";
import { aliveEveryMs } from "./spans.ts";

/** Writes a donor's journal: changes, and now and then a sign that the donor still runs. */
export class DonorJournal {
  readonly #journal: Journal;
  readonly #facts: () => Facts;
  readonly #now: () => number;
  readonly #jobs: JobCounts;
  #activity: string | null = null;
  #suspended = false;
  #models: ReadonlyMap<string, string> = new Map();
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string, facts: () => Facts, log: Log, now: () => number = Date.now) {
    this.#journal = new Journal(folder, log);
    this.#facts = facts;
    this.#now = now;
    this.#jobs = new JobCounts((entry) => this.#record(entry), now);
  }

  start(version: string): void {
    this.#record({ kind: "lifecycle", at: this.#now(), event: "start", version });
    this.#timer = setInterval(() => this.alive(), aliveEveryMs).unref();
    this.#jobs.start();
  }

  /** Records a decision of the loop if the activity or its reason changed. Records each sleep too. */
  looked({ kind, reason }: Activity, facts: Facts): void {
    if (facts.suspended !== this.#suspended) {
      this.#suspended = facts.suspended;
      const event = facts.suspended ? "suspend" : "resume";
      this.#record({ kind: "lifecycle", at: this.#now(), event });
    }
    const activity = `${kind} ${reason}`;
    if (activity === this.#activity) return;
    this.#activity = activity;
    const mattered = journalFacts(facts, reason);
    this.#record({ kind: "activity", at: this.#now(), activity: kind, reason, facts: mattered });
  }

  /** The models of the organization as they stand here: recorded where one stands otherwise than before. */
  models(views: readonly Pick<ModelView, "modelId" | "state" | "sizeBytes" | "why">[]): void {
    const standing = new Map<string, string>();
    for (const { modelId, state, sizeBytes, why } of views) {
      const stands = `${state} ${why?.reason ?? ""}`;
      standing.set(modelId, stands);
      if (this.#models.get(modelId) === stands) continue;
      const reason = why === undefined ? {} : { why: why.reason };
      this.#record({ kind: "model", at: this.#now(), modelId, state, sizeBytes, ...reason });
    }
    this.#models = standing;
  }

  jobsOf(handler: Handler): Handler {
    return journaledHandler(handler, (event) => this.#jobs.add(event));
  }

  /** Says that the donor is still there, with the facts as they are. */
  alive(): void {
    this.#record({ kind: "facts", at: this.#now(), facts: journalFacts(this.#facts()) });
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#jobs.stop();
    this.#record({ kind: "lifecycle", at: this.#now(), event: "stop" });
    this.#journal.close();
  }

  #record(entry: JournalEntry): void {
    this.#journal.record(entry);
  }
}
