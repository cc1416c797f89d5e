import { monthOf } from "../usage/months.ts";
import type { Lot } from "./lots.ts";

/** Hours of a day of the week in which answers earn more. Days and hours are those of UTC. */
export type BonusHours = {
  /** 0 is Sunday. */
  readonly day: number;
  /** From 0 to 23. */
  readonly from: number;
  /** From 1 to 24, and later than `from`. */
  readonly to: number;
};

export type BonusRule = {
  /** The percent of the usual pay that is added. */
  readonly percent: number;
  /** The most that a device gets in addition on one day (UTC); micro-credits. */
  readonly capMicro: bigint;
  readonly hours: readonly BonusHours[];
};

/** Earned credits expire so many months after the end of the month in which they were earned. */
export type ExpiryRule = {
  readonly months: number;
  /** When the rule was set; ms epoch. */
  readonly setAt: number;
};

/** Nobody loses credits before they could have read about a new rule. */
const noticeMs = 30 * 86_400_000;
const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** When credits of a month expire: at a start of a day (UTC), ms epoch. Null: never. */
export function expiryOf({ startAt }: Pick<Lot, "startAt">, rule: ExpiryRule | null): number | null {
  if (rule === null) return null;
  const noticed = Math.ceil((rule.setAt + noticeMs) / dayMs) * dayMs;
  return Math.max(monthOf(startAt, rule.months + 1), noticed);
}

/** The credits that have expired, by month. */
export function expiredLots(lots: readonly Lot[], rule: ExpiryRule | null, now: number): Lot[] {
  return lots.filter((lot) => {
    const at = expiryOf(lot, rule);
    return lot.micro > 0n && at !== null && at <= now;
  });
}

/** The credits that will expire, by time; the next ones first. */
export function comingExpiries(
  lots: readonly Lot[],
  rule: ExpiryRule | null,
): { readonly at: number; readonly micro: bigint }[] {
  const byTime = new Map<number, bigint>();
  for (const lot of lots) {
    const at = expiryOf(lot, rule);
    if (at !== null && lot.micro > 0n) byTime.set(at, (byTime.get(at) ?? 0n) + lot.micro);
  }
  return [...byTime].sort(([a], [b]) => a - b).map(([at, micro]) => ({ at, micro }));
}

/** Whether a moment is in one of the bonus hours. */
export function isBonusTime(at: number, hours: readonly BonusHours[]): boolean {
  const day = new Date(at).getUTCDay();
  const hour = Math.floor((at % dayMs) / hourMs);
  return hours.some((each) => each.day === day && hour >= each.from && hour < each.to);
}

/** The pay in addition to what an answer earned. `paidMicro`: the bonus that the device got on this day so far. */
export function bonusOf(
  earned: bigint,
  { percent, capMicro }: Pick<BonusRule, "percent" | "capMicro">,
  paidMicro: bigint,
): bigint {
  const full = (earned * BigInt(percent)) / 100n;
  const left = capMicro > paidMicro ? capMicro - paidMicro : 0n;
  return full < left ? full : left;
}
