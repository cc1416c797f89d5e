import { plural } from "../format/quantity.ts";
import { formatExactCredits } from "../money/credits.ts";
import { monthOf } from "../usage/months.ts";

/** Days and months are those of UTC. */
export const quotaPeriods = ["day", "month"] as const;
export type QuotaPeriod = (typeof quotaPeriods)[number];

export const quotaUnits = ["requests", "tokens", "micro"] as const;
export type QuotaUnit = (typeof quotaUnits)[number];

/** Requests, tokens of prompts and answers, and millionths of a credit. */
export type KeyCount = { requests: number; tokens: number; micro: bigint };
export const noCount: KeyCount = { requests: 0, tokens: 0, micro: 0n };

/** The most of each that a key may use within a period. Absent: no bound. */
export type Quota = { requests?: number; tokens?: number; micro?: bigint };
export type Quotas = { day?: Quota; month?: Quota };

/** The use of a key on the present day and in the present month: that of ended jobs, and the most that jobs under way may use. */
export type KeyUse = Record<QuotaPeriod, KeyCount>;

/** The bounds of a quota itself. */
export const quotaLimits = {
  requests: 1_000_000_000,
  tokens: 1_000_000_000_000,
  credits: 1_000_000_000,
} as const;

const dayMs = 86_400_000;

/** The start of the day (UTC) that a moment is in. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs) * dayMs;
}

/** The end of the present period. */
export function endOfPeriod(period: QuotaPeriod, now: number): number {
  return period === "day" ? dayOf(now) + dayMs : monthOf(now, 1);
}

export function addCounts(a: KeyCount, b: KeyCount): KeyCount {
  return { requests: a.requests + b.requests, tokens: a.tokens + b.tokens, micro: a.micro + b.micro };
}

/** The use of a key with one more request. */
export function addUse({ day, month }: KeyUse, added: KeyCount): KeyUse {
  return { day: addCounts(day, added), month: addCounts(month, added) };
}

/** The use of the present day and month, from counts of its days. */
export function useOf(days: readonly (KeyCount & { readonly startAt: number })[], now: number): KeyUse {
  const since = (from: number): KeyCount =>
    days.filter(({ startAt }) => startAt >= from).reduce((sum, day) => addCounts(sum, day), noCount);
  return { day: since(dayOf(now)), month: since(monthOf(now)) };
}

/** `message`: why the request is refused. `resetAt`: when its period ends, in ms; null if the request alone is too much. */
export type Exceeded = { readonly message: string; readonly resetAt: number | null };

/** The first quota that a request would exceed. Null if it may be accepted. @param asked the most that it may use */
export function exceededQuota(quotas: Quotas, use: KeyUse, asked: KeyCount, now: number): Exceeded | null {
  // A month's end is the later one, so it is told first.
  for (const period of ["month", "day"] as const) {
    for (const unit of quotaUnits) {
      const most = quotas[period]?.[unit];
      if (most === undefined) continue;
      if (BigInt(use[period][unit]) + BigInt(asked[unit]) <= BigInt(most)) continue;
      return exceeded(period, unit, most, use[period], asked, now);
    }
  }
  return null;
}

function exceeded(
  period: QuotaPeriod,
  unit: QuotaUnit,
  most: number | bigint,
  used: KeyCount,
  asked: KeyCount,
  now: number,
): Exceeded {
  const bound = `This API key has a quota of ${amountWords(unit, most)} a ${period}`;
  if (BigInt(asked[unit]) > BigInt(most)) {
    const message = `${bound}, and this request may need ${amountWords(unit, asked[unit])}. Ask for a shorter answer (max_tokens), or ask an administrator to raise the quota.`;
    return { message, resetAt: null };
  }
  const resetAt = endOfPeriod(period, now);
  const isUsed = `${amountWords(unit, used[unit])} used or reserved`;
  const needs = unit === "requests" ? "" : `, and this request may need ${amountWords(unit, asked[unit])}`;
  const end = `${new Date(resetAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const message = `${bound}: ${isUsed}${needs}. The quota begins anew at ${end}. An administrator can raise it.`;
  return { message, resetAt };
}

/** An amount with its unit. */
export function amountWords(unit: QuotaUnit, amount: number | bigint): string {
  switch (unit) {
    case "requests":
      return plural(Number(amount), ["# request", "# requests"]);
    case "tokens":
      return plural(Number(amount), ["# token", "# tokens"]);
    case "micro":
      return `${formatExactCredits(BigInt(amount))} credits`;
  }
}

/** Quotas in words for the audit trail, such as "100 requests a day, 5 credits a month". Empty without one. */
export function quotasWords(quotas: Quotas): string {
  return quotaPeriods
    .flatMap((period) =>
      quotaUnits.flatMap((unit) => {
        const most = quotas[period]?.[unit];
        return most === undefined ? [] : [`${amountWords(unit, most)} a ${period}`];
      }),
    )
    .join(", ");
}
