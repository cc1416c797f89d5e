import type { Facts } from "../../app/facts/facts.ts";
import { decide } from "../../app/policy/decide.ts";
import type { Activity, Effect } from "../../app/policy/decision.ts";
import type { Rules } from "../../app/policy/rules.ts";
import type { Log } from "../log.ts";

/** The reason why the donor decides again. */
type WakeReason =
  | "start"
  | "sample"
  | "input"
  | "recheck"
  | "settings"
  | "connection"
  | "enrollment"
  | "models"
  | "power"
  | "comfort";

type LoopDeps = {
  readonly facts: () => Facts;
  readonly rules: () => Rules;
  readonly perform: (effect: Effect) => void;
  /** Called after every decision, changed or not. */
  readonly onDecision: (activity: Activity, facts: Facts, recheckAt: number | null) => void;
  readonly log: Log;
};

/**
 * The longest time until the next decision, in ms. Timers stop while the computer sleeps, and the schedule
 * moves when somebody changes the clock or the time zone.
 */
const longestTimerMs = 15 * 60_000;

/**
 * Turns facts into a decision and its effects whenever something wakes it. Owns the only timer for the next
 * decision.
 */
export class DonorLoop {
  readonly #deps: LoopDeps;
  #activity: Activity = { kind: "standby", reason: "starting", since: Date.now() };
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #deciding = false;
  #pending: WakeReason | null = null;

  constructor(deps: LoopDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running = true;
    this.wake("start");
  }

  stop(): void {
    this.#running = false;
    clearTimeout(this.#timer);
  }

  /** Decides now. If an effect calls it, decides once more after that effect. */
  wake(reason: WakeReason): void {
    if (!this.#running) return;
    if (this.#deciding) {
      this.#pending = reason;
      return;
    }
    this.#deciding = true;
    try {
      for (let next: WakeReason | null = reason; next !== null; next = this.#takePending())
        this.#decide(next);
    } finally {
      this.#deciding = false;
    }
  }

  #takePending(): WakeReason | null {
    const again = this.#pending;
    this.#pending = null;
    return again;
  }

  #decide(reason: WakeReason): void {
    const facts = this.#deps.facts();
    const before = this.#activity;
    const { next, effects, recheckAt } = decide(before, facts, this.#deps.rules());
    this.#activity = next;
    if (next.kind !== before.kind || next.reason !== before.reason) {
      this.#deps.log("info", "donor.activity", { wake: reason, kind: next.kind, reason: next.reason });
    }
    for (const effect of effects) this.#deps.perform(effect);
    clearTimeout(this.#timer);
    if (recheckAt !== null) {
      const delay = Math.min(longestTimerMs, Math.max(1, recheckAt - facts.now));
      this.#timer = setTimeout(() => this.wake("recheck"), delay);
    }
    this.#deps.onDecision(next, facts, recheckAt);
  }
}
