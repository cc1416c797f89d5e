import { laneName, laneNeeds, parseLane } from "../../../app/format/lane.ts";
import type { StatisticsReport, StatisticsSubject } from "../data/rows.ts";

export type By = "model" | "lane" | "key" | "device";

export const byWords: Readonly<
  Record<By, { readonly tab: string; readonly column: string; readonly by: string }>
> = {
  model: { tab: "Models", column: "Model", by: "By model" },
  lane: { tab: "Lanes", column: "Lane", by: "By lane" },
  key: { tab: "API keys", column: "API key", by: "By API key" },
  device: { tab: "Devices", column: "Device", by: "By device" },
};

/** A subject's name, and what its lane requires. */
export function subjectWords(
  by: By,
  { subject, name }: StatisticsSubject,
): { readonly name: string; readonly needs: readonly string[] } {
  if (subject === "") return { name: "All others", needs: [] };
  const lane = by === "lane" ? parseLane(subject) : null;
  if (lane !== null) return { name: laneName(lane), needs: laneNeeds(lane) };
  return { name: name ?? "Deleted", needs: [] };
}

export type StatisticsRange = "hour" | "day" | "week" | "month";

export const rangeOptions: readonly { readonly value: StatisticsRange; readonly label: string }[] = [
  { value: "hour", label: "Last hour" },
  { value: "day", label: "Last 24 hours" },
  { value: "week", label: "Last 7 days" },
  { value: "month", label: "Last 30 days" },
];

/** The figures of all jobs in the report. */
export function totalsOf({ points }: StatisticsReport) {
  const sum = (
    of: "succeeded" | "failed" | "expired" | "canceled" | "stolen" | "returned" | "lost",
  ): number => points.reduce((total, { summary }) => total + summary[of], 0);
  const [answered, failed] = [sum("succeeded"), sum("failed") + sum("expired")];
  return {
    answered,
    failed,
    canceled: sum("canceled"),
    stolen: sum("stolen"),
    returned: sum("returned") + sum("lost"),
    successRate: answered + failed === 0 ? null : answered / (answered + failed),
  };
}
