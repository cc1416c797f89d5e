import { formatExactCredits } from "./credits.ts";

/** How often an allowance renews. Weeks begin on Monday. Periods are those of UTC, as months of statements and budgets are. */
export const allowancePeriods = ["day", "week", "month"] as const;
export type AllowancePeriod = (typeof allowancePeriods)[number];

/** "add": the holder gets the whole amount. "top-up": they get only what they lack to the amount. */
export const allowanceKinds = ["add", "top-up"] as const;
export type AllowanceKind = (typeof allowanceKinds)[number];

/** Credits that an API key, a member or a team gets at the start of each period. */
export type AllowanceTerms = {
  readonly every: AllowancePeriod;
  readonly kind: AllowanceKind;
  /** More than 0. */
  readonly micro: bigint;
};

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** The first Monday after the epoch. */
const firstMonday = 4 * dayMs;

/** The start of the period that a moment is in. Both in ms since the epoch. */
export function periodStart(every: AllowancePeriod, at: number): number {
  switch (every) {
    case "day":
      return Math.floor(at / dayMs) * dayMs;
    case "week":
      return Math.floor((at - firstMonday) / weekMs) * weekMs + firstMonday;
    case "month":
      return monthStart(at, 0);
  }
}

/** The start of the first period after a moment. */
export function nextPeriodStart(every: AllowancePeriod, at: number): number {
  if (every === "month") return monthStart(at, 1);
  return periodStart(every, at) + (every === "week" ? weekMs : dayMs);
}

function monthStart(at: number, later: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}

/** The micro-credits that are given for one period. `availableMicro`: what is left now. */
export function amountDue({ kind, micro }: AllowanceTerms, availableMicro: bigint): bigint {
  if (kind === "add") return micro;
  const left = availableMicro > 0n ? availableMicro : 0n;
  return micro > left ? micro - left : 0n;
}

/** The terms in words, for the audit trail. */
export function allowanceTermsText({ every, kind, micro }: AllowanceTerms): string {
  const credits = `${formatExactCredits(micro)} credits`;
  return kind === "add" ? `${credits} each ${every}` : `topped up to ${credits} each ${every}`;
}
