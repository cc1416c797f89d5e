import type { Facts } from "../../app/facts/facts.ts";
import { decide } from "../../app/policy/decide.ts";
import type { Activity, Effect } from "../../app/policy/decision.ts";
import type { Rules } from "../../app/policy/rules.ts";
import type { Log } from "../log.ts";

/** Why the donor looks again. */
export type WakeReason =
  | "start"
  | "sample"
  | "input"
  | "recheck"
  | "settings"
  | "connection"
  | "enrolment"
  | "models"
  | "power"
  | "lock";

export type LoopParts = {
  readonly facts: () => Facts;
  readonly rules: () => Rules;
  readonly perform: (effect: Effect) => void;
  /** After every look, changed or not. */
  readonly onLook: (activity: Activity, facts: Facts, recheckAt: number | null) => void;
  readonly log: Log;
};

/**
 * It looks after so long in any case: a timer stands still while the computer sleeps, and a moment of the schedule moves
 * when the clock or the time zone is changed.
 */
const longestTimerMs = 15 * 60_000;

/** Facts → decision → effects, whenever something wakes it. It owns the one timer for looking again. */
export class DonorLoop {
  readonly #parts: LoopParts;
  #activity: Activity = { kind: "holding", reason: "starting", since: Date.now() };
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #looking = false;
  #again: WakeReason | null = null;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  get activity(): Activity {
    return this.#activity;
  }

  start(): void {
    this.#running = true;
    this.wake("start");
  }

  stop(): void {
    this.#running = false;
    clearTimeout(this.#timer);
  }

  /** Looks now. Called from within an effect, it looks once more after that. */
  wake(reason: WakeReason): void {
    if (!this.#running) return;
    if (this.#looking) {
      this.#again = reason;
      return;
    }
    this.#looking = true;
    try {
      for (let next: WakeReason | null = reason; next !== null; next = this.#takeAgain()) this.#look(next);
    } finally {
      this.#looking = false;
    }
  }

  #takeAgain(): WakeReason | null {
    const again = this.#again;
    this.#again = null;
    return again;
  }

  #look(reason: WakeReason): void {
    const facts = this.#parts.facts();
    const before = this.#activity;
    const { next, effects, recheckAt } = decide(before, facts, this.#parts.rules());
    this.#activity = next;
    if (next.kind !== before.kind || next.reason !== before.reason) {
      this.#parts.log("info", "donor.activity", { wake: reason, kind: next.kind, reason: next.reason });
    }
    for (const effect of effects) this.#parts.perform(effect);
    clearTimeout(this.#timer);
    if (recheckAt !== null) {
      const delay = Math.min(longestTimerMs, Math.max(1, recheckAt - facts.now));
      this.#timer = setTimeout(() => this.wake("recheck"), delay);
    }
    this.#parts.onLook(next, facts, recheckAt);
  }
}
