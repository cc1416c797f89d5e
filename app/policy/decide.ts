import type { Facts } from "../facts/facts.ts";
import type { Activity, Decision, Effect } from "./decision.ts";
import type { DonateReason, Limits } from "./declare/activity.ts";
import { evaluate, type Verdict } from "./evaluate.ts";
import { limitsFor, sameLimits } from "./limits.ts";
import { type StandbyReason, standbyReasons } from "./reasons.ts";
import type { Rules } from "./rules.ts";

/**
 * Whether to donate now, and within which limits. Pure and total: the same state, facts and rules give the same decision.
 * rules.ts lists the checks in their order. A pause outranks everything but membership.
 *
 * @param state the activity until now; its reason and its limits matter for the hysteresis.
 * @returns the next activity, the effects (on changes only), and when to decide again:
 *   always later than `facts.now`, or null when only a changed fact can matter.
 */
export function decide(state: Activity, facts: Facts, rules: Rules): Decision {
  const verdict = evaluate({ state, facts, rules });
  if (verdict.kind === "standby") return standBy(state, facts, verdict);
  // A person who asked to donate now does not wait for a cooldown.
  const cooldown = verdict.reason === "donate-now" ? null : cooldownOf(state, facts.now);
  if (cooldown !== null) {
    const { reason, clearSince, until } = cooldown;
    return standBy(state, facts, { reason, recheckAt: until }, clearSince);
  }
  // No job runs that it could finish.
  if (facts.finishThenPause && state.kind === "standby") {
    return standBy(state, facts, { reason: "paused-by-you", recheckAt: null });
  }
  return donate(state, facts, rules, verdict);
}

type Cooldown = { readonly reason: StandbyReason; readonly clearSince: number; readonly until: number };

/**
 * Some reasons end for a moment and come back: a call with a muted microphone, a pause between two films, a change of the
 * network. The donor stays on standby a little longer for these. Times are ms since the epoch; null: it may donate.
 */
function cooldownOf(state: Activity, now: number): Cooldown | null {
  if (state.kind !== "standby") return null;
  const { cooldownSeconds } = standbyReasons[state.reason];
  if (cooldownSeconds === undefined) return null;
  // A clock that was set back must not lengthen the wait.
  const clearSince = Math.min(now, state.clearSince ?? now);
  const until = clearSince + cooldownSeconds * 1_000;
  return until > now ? { reason: state.reason, clearSince, until } : null;
}

function donate(
  state: Activity,
  facts: Facts,
  rules: Rules,
  verdict: Extract<Verdict, { readonly kind: "donate" }>,
): Decision {
  const reason = facts.finishThenPause ? "finishing" : verdict.reason;
  const limits = limitsFor(state, facts, rules, verdict.use);
  return {
    next: { kind: "donating", reason, since: sinceOf(state, reason, facts.now), limits },
    effects: effectsOf(state, reason, limits),
    recheckAt: verdict.recheckAt,
  };
}

function effectsOf(state: Activity, reason: DonateReason, limits: Limits): readonly Effect[] {
  const accept: Effect = { kind: "accept", limits };
  if (state.kind === "standby") return [accept];
  const limit: readonly Effect[] = sameLimits(state.limits, limits) ? [] : [{ kind: "limit", limits }];
  if (reason === "finishing" && state.reason !== "finishing") return [...limit, { kind: "finish" }];
  if (reason !== "finishing" && state.reason === "finishing") return [accept];
  return limit;
}

function standBy(
  state: Activity,
  facts: Facts,
  { reason, recheckAt }: { readonly reason: StandbyReason; readonly recheckAt: number | null },
  clearSince?: number,
): Decision {
  const next = { kind: "standby", reason, since: sinceOf(state, reason, facts.now) } as const;
  return {
    next: clearSince === undefined ? next : { ...next, clearSince },
    effects: state.kind === "donating" ? [{ kind: "yield", reason }] : [],
    recheckAt,
  };
}

function sinceOf(state: Activity, reason: Activity["reason"], now: number): number {
  return state.reason === reason ? state.since : now;
}
