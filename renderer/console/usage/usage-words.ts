import { mergeEnergy } from "../../../app/energy/energy-sum.ts";
import { locale } from "../../../app/format/locale.ts";
import { bucketOf, spans } from "../../../app/statistics/spans.ts";
import { noSubject, otherSubject } from "../../../app/statistics/tally.ts";
import type { UsageBy, UsageDays, UsageRow } from "../../../app/usage/usage-table.ts";

export const groupingWords: Readonly<Record<UsageBy, { readonly tab: string; readonly column: string }>> = {
  day: { tab: "Days", column: "Day" },
  model: { tab: "Models", column: "Model" },
  key: { tab: "Keys", column: "API key" },
  team: { tab: "Teams", column: "Team" },
  member: { tab: "Members", column: "Member" },
  device: { tab: "Devices", column: "Device" },
  group: { tab: "Groups", column: "Group" },
};

export const dayOptions: readonly { readonly value: `${UsageDays}`; readonly label: string }[] = [
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
  { value: "90", label: "Last 90 days" },
];

/** The name of a row. */
export function rowName(by: UsageBy, { subject, name }: Pick<UsageRow, "subject" | "name">): string {
  if (subject === otherSubject) return "All others";
  if (by === "day") return dayWords(dayAt(subject));
  if (subject === noSubject && by === "team") return "Keys of no team";
  if (subject === noSubject && by === "member") return "Keys of no member";
  if (subject === noSubject && by === "group") return "No group";
  return name ?? "Deleted";
}

/** The start of a day such as "2027-01-15"; ms epoch. */
export function dayAt(subject: string): number {
  return Date.parse(`${subject}T00:00:00Z`);
}

/** "Fri, Jan 15" of a day of UTC. */
export function dayWords(at: number): string {
  const parts = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" } as const;
  return new Date(at).toLocaleDateString(locale, parts);
}

/** The values of all days up to the last one, with 0 for those without jobs. */
export function seriesOfDays(
  rows: readonly UsageRow[],
  days: number,
  until: number,
  of: (row: UsageRow) => number,
): { readonly times: readonly number[]; readonly values: readonly number[] } {
  const last = bucketOf(until - 1, spans.day);
  const times = Array.from({ length: days }, (_, at) => last - (days - 1 - at) * spans.day);
  const byDay = new Map(rows.map((row) => [dayAt(row.subject), of(row)]));
  return { times, values: times.map((at) => byDay.get(at) ?? 0) };
}

/** The sums of a table. */
export function sumOf(rows: readonly UsageRow[]) {
  const sum = (of: (row: UsageRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    jobs: sum(({ jobs }) => jobs),
    succeeded: sum(({ succeeded }) => succeeded),
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    runMs: sum(({ runMs }) => runMs),
    energy: mergeEnergy(rows.map(({ energy }) => energy ?? undefined)) ?? null,
    micro: rows.reduce((total, { micro }) => total + micro, 0n),
  };
}
