import type { Activity, Decision, Effect, Limits } from "./decision.ts";
import type { Facts } from "../facts/facts.ts";
import { judge, type Verdict } from "./judge.ts";
import { limitsFor, sameLimits } from "./limits.ts";
import type { DonateReason, HoldReason } from "./reasons.ts";
import type { Rules } from "./rules.ts";
import { settling } from "./settle.ts";

/**
 * Whether to donate now, and within which limits. Pure and total: the same state, facts and rules give the same decision.
 * The order of the checks is judge.ts's: a pause outranks everything but membership.
 *
 * @param state what the donor did until now; its reason and its limits matter for the hysteresis.
 * @returns the next activity, what has to be done now (on changes only), and when to look again:
 *   always later than `facts.now`, or null when only a changed fact can matter.
 */
export function decide(state: Activity, facts: Facts, rules: Rules): Decision {
  const verdict = judge({ state, facts, rules });
  if (verdict.kind === "hold") return holdFor(state, facts, verdict);
  // Whoever asked to donate now does not wait for things to settle.
  const unsettled = verdict.reason === "donate-now" ? null : settling(state, facts.now);
  if (unsettled !== null) {
    const { reason, clearSince, until } = unsettled;
    return holdFor(state, facts, { reason, recheckAt: until }, clearSince);
  }
  // Nothing runs that could be finished.
  if (facts.finishThenPause && state.kind === "holding") {
    return holdFor(state, facts, { reason: "paused-by-you", recheckAt: null });
  }
  return donate(state, facts, rules, verdict);
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
  if (state.kind === "holding") return [accept];
  const limit: readonly Effect[] = sameLimits(state.limits, limits) ? [] : [{ kind: "limit", limits }];
  if (reason === "finishing" && state.reason !== "finishing") return [...limit, { kind: "finish" }];
  if (reason !== "finishing" && state.reason === "finishing") return [accept];
  return limit;
}

function holdFor(
  state: Activity,
  facts: Facts,
  { reason, recheckAt }: { readonly reason: HoldReason; readonly recheckAt: number | null },
  clearSince?: number,
): Decision {
  return {
    next: {
      kind: "holding",
      reason,
      since: sinceOf(state, reason, facts.now),
      ...(clearSince === undefined ? {} : { clearSince }),
    },
    effects: state.kind === "donating" ? [{ kind: "yield", reason }] : [],
    recheckAt,
  };
}

function sinceOf(state: Activity, reason: Activity["reason"], now: number): number {
  return state.reason === reason ? state.since : now;
}
