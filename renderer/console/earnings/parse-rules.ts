import type { BonusHours } from "../../../app/credits/house-rules.ts";
import { locale } from "../../../app/format/locale.ts";
import type { HouseRules } from "../data/rows.ts";
import { parseCredits, parseNumber } from "../usage/parse-usage-form.ts";

/** The form of the rules as it was typed. */
export type TypedRules = {
  readonly months: string;
  readonly percent: string;
  readonly cap: string;
  readonly days: readonly number[];
  readonly from: string;
  readonly to: string;
  readonly perCredit: string;
  readonly currency: string;
};

const weekday = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
/** A Sunday. */
const aSunday = Date.UTC(2_027, 0, 3);
const wordsOf = (day: number): string => weekday.format(aSunday + day * 86_400_000);

/** The days of the week from Monday on, with their short names. */
export const bonusDays = [1, 2, 3, 4, 5, 6, 0].map((day) => ({ day, words: wordsOf(day) }));

/** "Sat 18–24, Sun 18–24". */
export function hoursWords(hours: readonly BonusHours[]): string {
  return hours.map(({ day, from, to }) => `${wordsOf(day)} ${String(from)}–${String(to)}`).join(", ");
}

/** The typed rules, or why they cannot be saved. */
export function parseRules(typed: TypedRules): HouseRules | string {
  const months = parseNumber(typed.months, 120);
  if (typeof months === "string" || (months !== null && !isWhole(months, 1)))
    return "Credits expire after 1 to 120 whole months.";
  const bonus = parseBonus(typed);
  if (typeof bonus === "string") return bonus;
  const payout = parsePayout(typed);
  if (typeof payout === "string") return payout;
  return { expireMonths: months, bonus, payout };
}

function parseBonus(typed: TypedRules): HouseRules["bonus"] | string {
  const percent = parseNumber(typed.percent, 500);
  if (percent === null) return null;
  if (typeof percent === "string" || !isWhole(percent, 1)) return "The bonus is 1 to 500 whole percent.";
  const [from, to] = [parseNumber(typed.from, 23), parseNumber(typed.to, 24)];
  if (typeof from !== "number" || typeof to !== "number" || !isWhole(from, 0) || !isWhole(to, from + 1))
    return "The bonus needs whole hours: from 0 to 23, and to a later one up to 24.";
  if (typed.days.length === 0) return "Choose the days of the bonus.";
  const capMicro = parseCredits(typed.cap);
  if (typeof capMicro === "string") return "Enter the most bonus for a device and a day.";
  const hours = [...typed.days].sort((a, b) => a - b).map((day) => ({ day, from, to }));
  return { percent, capMicro, hours };
}

function parsePayout({ perCredit, currency }: TypedRules): HouseRules["payout"] | string {
  if (perCredit.trim() === "") return null;
  const perCreditMicro = parseCredits(perCredit);
  if (typeof perCreditMicro === "string") return "Enter the money for a credit, such as 0.05.";
  if (currency.trim() === "") return "Enter the currency, such as EUR.";
  return { perCreditMicro, currency: currency.trim() };
}

function isWhole(value: number, least: number): boolean {
  return Number.isInteger(value) && value >= least;
}
