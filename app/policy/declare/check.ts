import type { Facts, SensedFact } from "../../facts/facts.ts";
import type { Donating, Standby } from "./activity.ts";

/** The words for a reason to donate or not to donate. */
export type ReasonWords = {
  /** A few words for a title or a table cell. */
  readonly short: string;
  /** One sentence that says why, and what will change it. */
  readonly sentence: string;
  /** The same for somebody other than the donor, where the words above say "you". */
  readonly toOthers?: { readonly short: string; readonly sentence: string };
  /** For whoever uses a terminal here: commands and options. Terminals add it, and the panel shows it apart. */
  readonly note?: string;
};

/** A reason's sentence for a terminal. */
export function spellReason({ sentence, note }: Pick<ReasonWords, "sentence" | "note">): string {
  return note === undefined ? sentence : `${sentence} ${note}`;
}

/** The declaration of one reason not to donate. */
export type Reason = ReasonWords & {
  /** One short sentence about Gleaner, for the tray. */
  readonly brief: string;
  /** How long to stay on standby after the reason ended, in case it comes back. */
  readonly cooldownSeconds?: number;
  /** Facts that the journal keeps with this reason. */
  readonly facts?: readonly (keyof Facts)[];
};

/** The inputs of a check: only the facts and rules that it names. */
export type Context<Fact extends keyof Facts, Rules = object> = {
  /** The activity until now, for hysteresis; null: without any. */
  readonly state: Donating | Standby | null;
  readonly facts: Pick<Facts, Fact>;
  readonly rules: Rules;
};

/** A check's "no". `recheckAt`: later than now, in ms since the epoch; null when only a changed fact can end it. */
export type Veto<ReasonName extends string> = {
  readonly reason: ReasonName;
  readonly recheckAt: number | null;
};

/**
 * One thing that can keep a computer from donating.
 * `Ctx` is the `Context` that it reads, `Rules` the rules in it, `ReasonName` the reasons that it gives, `Overridden` the
 * rules that "donate now" overrides.
 */
export type Check<Ctx, Rules, ReasonName extends string, Overridden extends string = never> = {
  readonly reasons: { readonly [Name in ReasonName]: Reason };
  /** The facts to sample under these rules. Facts that no check needs are not sampled. */
  readonly needs: (rules: Rules) => readonly SensedFact[];
  /** "Donate now" overrides this check, and so these rules. Without this field the check always counts. */
  readonly donateNowOverrides?: readonly Overridden[];
  /** Why not to donate; null where this check has no objection. */
  readonly veto: (context: Ctx) => Veto<ReasonName> | null;
};

/** Declares a check; all types are inferred. */
export function check<Ctx, Rules, ReasonName extends string, Overridden extends string = never>(
  declared: Check<Ctx, Rules, ReasonName, Overridden>,
): Check<Ctx, Rules, ReasonName, Overridden> {
  return declared;
}

/** The veto of the first check that has one. */
export function firstVeto<Ctx, ReasonName extends string>(
  checks: readonly Pick<Check<Ctx, never, ReasonName>, "veto">[],
  context: Ctx,
): Veto<ReasonName> | null {
  for (const { veto } of checks) {
    const found = veto(context);
    if (found !== null) return found;
  }
  return null;
}

export function veto<ReasonName extends string>(
  reason: ReasonName,
  recheckAt: number | null = null,
): Veto<ReasonName> {
  return { reason, recheckAt };
}

/** Whether the donor is on standby for this reason already. Leaving a reason takes a little more than entering it. */
export function isOnStandbyFor(state: Donating | Standby | null, reason: string): boolean {
  return state?.kind === "standby" && state.reason === reason;
}
