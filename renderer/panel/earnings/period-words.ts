import { locale } from "../../../app/format/locale.ts";
import { formatMonth } from "../../../app/format/time.ts";
import type { EarnedPeriod, PeriodKind } from "../../../app/usage/earned-periods.ts";
import type { Option } from "../../ui/controls/Select.tsx";

export const periodTitles: Readonly<Record<PeriodKind, string>> = {
  day: "Day",
  week: "Week",
  month: "Month",
};

export const periodChoices: readonly (Option & { readonly value: PeriodKind })[] = [
  { value: "day", label: "By day" },
  { value: "week", label: "By week" },
  { value: "month", label: "By month" },
];

const dayFormat = new Intl.DateTimeFormat(locale, {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});
const weekFormat = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });

/** A period (UTC) in words: "Fri, Nov 27", "Nov 23 – 29" or "November 2026". */
export function periodWords(kind: PeriodKind, { from, to = from + 1 }: PeriodTimes): string {
  if (kind === "day") return dayFormat.format(from);
  return kind === "month" ? formatMonth(from) : weekFormat.formatRange(from, to - 1);
}

type PeriodTimes = Pick<EarnedPeriod, "from"> & Partial<Pick<EarnedPeriod, "to">>;
