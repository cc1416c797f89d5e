import type { Activity, Decision, Effect } from "./decision.ts";
import type { Facts } from "./facts.ts";
import type { DonateReason, HoldReason } from "./reasons.ts";
import type { Rules } from "./rules.ts";

/**
 * Whether to donate now. Pure and total: the same state, facts and rules give the same decision.
 *
 * Checked in this order; the first that says no is the reason shown: membership, the donor's pause,
 * connection, power, battery, load, idleness, model. A pause outranks everything but membership.
 * "Donate now" stands for idleness and a calm processor, and for nothing else: it never spends a
 * battery that the rules protect, since a wish of an hour ago is no reason to empty a laptop.
 *
 * @param state what the donor did until now; its reason matters for the load's hysteresis.
 * @returns the next activity, what has to be done now (on transitions only), and when to look again:
 *   always later than `facts.now`, or null when only a changed fact can matter.
 */
export function decide(state: Activity, facts: Facts, rules: Rules): Decision {
  const verdict = judge(state, facts, rules);
  if (verdict.kind === "donate") {
    return {
      next: { kind: "donating", reason: verdict.reason, since: sinceOf(state, verdict.reason, facts.now) },
      effects: state.kind === "donating" ? [] : [{ kind: "accept" }],
      recheckAt: verdict.recheckAt,
    };
  }
  return {
    next: { kind: "holding", reason: verdict.reason, since: sinceOf(state, verdict.reason, facts.now) },
    effects: state.kind === "donating" ? [yieldFor(verdict.reason)] : [],
    recheckAt: verdict.recheckAt,
  };
}

type Verdict =
  | { readonly kind: "donate"; readonly reason: DonateReason; readonly recheckAt: number | null }
  | { readonly kind: "hold"; readonly reason: HoldReason; readonly recheckAt: number | null };

function judge(state: Activity, facts: Facts, rules: Rules): Verdict {
  if (facts.membership === "none") return hold("not-enrolled");
  if (facts.membership === "retired") return hold("retired");
  if (isPaused(facts)) return hold("paused-by-you", facts.pause?.until ?? null);
  if (facts.connection === "offline") return hold("offline");
  const power = powerHold(facts, rules);
  if (power !== null) return hold(power);

  const donateNow = facts.donateNowUntil !== null && facts.donateNowUntil > facts.now;
  if (!donateNow) {
    if (loadTooHigh(state, facts, rules)) return hold("other-load");
    const idle = idleHold(facts, rules);
    if (idle !== null) return idle;
  }
  if (!facts.modelReady) return hold("no-model", donateNow ? facts.donateNowUntil : null);

  if (donateNow) return { kind: "donate", reason: "donate-now", recheckAt: facts.donateNowUntil };
  return { kind: "donate", reason: rules.requireIdle ? "idle" : "unattended", recheckAt: null };
}

function isPaused(facts: Facts): boolean {
  return facts.pause !== null && (facts.pause.until === null || facts.pause.until > facts.now);
}

function powerHold(facts: Facts, rules: Rules): HoldReason | null {
  if (facts.power.known && facts.power.value === "ac") return null;
  if (!rules.allowOnBattery) return facts.power.known ? "on-battery" : "power-unknown";
  // On battery, or perhaps: then the floor has to be known to be kept.
  if (!facts.batteryPercent.known) return "power-unknown";
  return facts.batteryPercent.value < rules.batteryFloorPercent ? "battery-low" : null;
}

function loadTooHigh(state: Activity, facts: Facts, rules: Rules): boolean {
  // An unknown load holds nothing: there is no limit to compare it with, and idleness still counts.
  if (!facts.otherCpuLoad.known) return false;
  const wasTooHigh = state.kind === "holding" && state.reason === "other-load";
  const limit = wasTooHigh ? rules.maxOtherCpuLoad - rules.otherCpuLoadHysteresis : rules.maxOtherCpuLoad;
  return facts.otherCpuLoad.value > Math.max(0, limit);
}

function idleHold(facts: Facts, rules: Rules): Verdict | null {
  if (!rules.requireIdle) return null;
  if (!facts.idleSeconds.known) return hold("idle-unknown");
  const missingSeconds = rules.idleAfterSeconds - facts.idleSeconds.value;
  if (missingSeconds <= 0) return null;
  return hold("in-use", facts.now + Math.max(minimumRecheckMs, Math.ceil(missingSeconds * 1000)));
}

/** Idle clocks tick in whole seconds: looking again sooner than this would only spin. */
const minimumRecheckMs = 250;

function hold(reason: HoldReason, recheckAt: number | null = null): Verdict {
  return { kind: "hold", reason, recheckAt };
}

function yieldFor(reason: HoldReason): Effect {
  return { kind: "yield", reason };
}

function sinceOf(state: Activity, reason: Activity["reason"], now: number): number {
  return state.reason === reason ? state.since : now;
}
