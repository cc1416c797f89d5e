import type { Activity } from "../decision.ts";
import type { Facts } from "../../facts/facts.ts";
import type { HoldReason } from "../reasons.ts";
import type { Rules } from "../rules.ts";

type FactName = keyof Facts;
type RuleName = keyof Rules;

/** Of all facts and rules only these: who asks one check need not know the others. */
export type Look<Fact extends FactName = FactName, Rule extends RuleName = RuleName> = {
  /** What was done until now, for the hysteresis; null: without any. */
  readonly state: Activity | null;
  readonly facts: Pick<Facts, Fact>;
  readonly rules: Pick<Rules, Rule>;
};

/** `recheckAt`: later than now, in ms since the epoch; null when only a changed fact can end it. */
export type Hold<Reason extends HoldReason = HoldReason> = {
  readonly reason: Reason;
  readonly recheckAt: number | null;
};

/** One concern's "not now" by the facts and the rules that it reads; null where it has nothing against it. */
export type Check<
  Fact extends FactName = FactName,
  Rule extends RuleName = RuleName,
  Reason extends HoldReason = HoldReason,
> = (look: Look<Fact, Rule>) => Hold<Reason> | null;

/** The first of these checks that says no. */
export function firstOf<Fact extends FactName, Rule extends RuleName, Reason extends HoldReason>(
  checks: readonly Check<Fact, Rule, Reason>[],
  look: Look<Fact, Rule>,
): Hold<Reason> | null {
  for (const check of checks) {
    const found = check(look);
    if (found !== null) return found;
  }
  return null;
}

export function hold<Reason extends HoldReason>(
  reason: Reason,
  recheckAt: number | null = null,
): Hold<Reason> {
  return { reason, recheckAt };
}

/** Whether it holds for this reason already: then the way back is a little longer than the way in. */
export function heldFor(state: Activity | null, reason: HoldReason): boolean {
  return state?.kind === "holding" && state.reason === reason;
}
