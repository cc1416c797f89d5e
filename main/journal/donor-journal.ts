import type { Handler } from "@gleaner/queue/worker";
import type { Tightening } from "../../app/comfort/tighten.ts";
import type { ModelView } from "../../app/contract/snapshot.ts";
import type { Facts } from "../../app/facts/facts.ts";
import type { Activity } from "../../app/policy/decision.ts";
import { activityReasons } from "../../app/policy/reasons.ts";
import { FactRecorder } from "../../app/policy/replay/recorder.ts";
import { aliveEveryMs } from "../../app/policy/replay/replay.ts";
import type { Rules } from "../../app/policy/rules.ts";
import type { Log } from "../log.ts";
import type { JournalEntry, JournalFacts } from "./entry.ts";
import { FactFiles } from "./fact-files.ts";
import { JobCounts } from "./job-counts.ts";
import { Journal } from "./journal.ts";
import { journaledHandler } from "./journaled-handler.ts";

/** Writes a donor's journal: changes, and at intervals a sign that the donor still runs. */
export class DonorJournal {
  readonly #journal: Journal;
  readonly #facts: () => Facts;
  readonly #now: () => number;
  readonly #jobs: JobCounts;
  readonly #recorder: FactRecorder;
  #activity: string | null = null;
  #suspended = false;
  #models: ReadonlyMap<string, string> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #decided: { readonly activity: Activity; readonly rules: Rules } | null = null;

  constructor(folder: string, facts: () => Facts, log: Log, now: () => number = Date.now) {
    this.#journal = new Journal(folder, log);
    this.#facts = facts;
    this.#now = now;
    const files = new FactFiles(folder, log);
    this.#recorder = new FactRecorder((record) => files.append(record));
    this.#jobs = new JobCounts((entry) => this.#record(entry), now);
  }

  start(version: string): void {
    this.#record({ kind: "lifecycle", at: this.#now(), event: "start", version });
    this.#timer = setInterval(() => this.alive(), aliveEveryMs).unref();
    this.#jobs.start();
  }

  /** Records a decision of the loop if the activity or its reason changed. Records each sleep too, and facts for replays. */
  decided(decided: Activity, facts: Facts, rules: Rules): void {
    const { kind, reason } = decided;
    this.#decided = { activity: decided, rules };
    this.#recorder.saw(decided, facts, rules);
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

  /** Records the models whose state or reason changed. */
  models(views: readonly Pick<ModelView, "modelId" | "state" | "sizeBytes" | "why">[]): void {
    const models = new Map<string, string>();
    for (const { modelId, state, sizeBytes, why } of views) {
      const key = `${state} ${why?.reason ?? ""}`;
      models.set(modelId, key);
      if (this.#models.get(modelId) === key) continue;
      const reason = why === undefined ? {} : { why: why.reason };
      this.#record({ kind: "model", at: this.#now(), modelId, state, sizeBytes, ...reason });
    }
    this.#models = models;
  }

  /** Records that the limits were tightened or eased. */
  tightened({ step, cause }: Tightening): void {
    const broken = cause === null ? {} : { broken: cause.part };
    this.#record({ kind: "comfort", at: this.#now(), step, ...broken });
  }

  jobsOf(handler: Handler): Handler {
    return journaledHandler(handler, (event) => this.#jobs.add(event));
  }

  /** Records the current facts, as a sign that the donor still runs. */
  alive(): void {
    const facts = this.#facts();
    this.#record({ kind: "facts", at: this.#now(), facts: journalFacts(facts) });
    if (this.#decided !== null) this.#recorder.saw(this.#decided.activity, facts, this.#decided.rules);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#jobs.stop();
    const at = this.#now();
    this.#record({ kind: "lifecycle", at, event: "stop" });
    this.#recorder.end(at);
    this.#journal.close();
  }

  #record(entry: JournalEntry): void {
    this.#journal.record(entry);
  }
}

/** These facts describe the computer's use. */
const useFacts = ["idleSeconds", "power", "otherCpuLoad"] as const;

/** The facts that matter for a reason. Without a reason, those about the computer's use. */
function journalFacts(facts: Facts, reason: Activity["reason"] | null = null): JournalFacts {
  const names = reason === null ? useFacts : (activityReasons[reason].facts ?? []);
  return Object.fromEntries(names.map((name) => [name, plain(facts[name])]));
}

/** Unknown facts become null, and so does every value that is not a number, text or boolean. */
function plain(fact: unknown): JournalFacts[string] {
  const value =
    typeof fact === "object" && fact !== null && "known" in fact
      ? fact.known === true && "value" in fact
        ? fact.value
        : null
      : fact;
  if (Array.isArray(value)) return value.join(", ").slice(0, 200) || null;
  if (typeof value === "number") return Number.isFinite(value) ? Math.round(value * 100) / 100 : null;
  if (typeof value === "string") return value === "" ? null : value.slice(0, 200);
  return typeof value === "boolean" ? value : null;
}
