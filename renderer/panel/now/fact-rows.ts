import type { FactsView } from "../../../app/contract/snapshot.ts";
import type { Known } from "../../../app/policy/facts.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import { formatShare } from "../../ui/format/quantity.ts";
import { formatDuration } from "../../ui/format/time.ts";

export type FactRow = { readonly label: string; readonly value: string; readonly rule: string };

/** What Gleaner knows beside what it asks for. What this system does not tell is "unknown", never a guess. */
export function factRows(facts: FactsView, rules: Rules): readonly FactRow[] {
  return [
    {
      label: "Last input",
      value: say(facts.idleSeconds, (seconds) => (seconds < 1 ? "just now" : `${wholeSeconds(seconds)} ago`)),
      rule: rules.requireIdle ? `idle after ${wholeSeconds(rules.idleAfterSeconds)}` : "not asked for",
    },
    {
      label: "Power",
      value: say(facts.power, (power) => (power === "ac" ? "mains" : "battery")),
      rule: rules.allowOnBattery ? "battery is fine" : "mains only",
    },
    {
      label: "Battery",
      value: say(facts.batteryPercent, (percent) => `${Math.round(percent)} %`),
      rule: rules.allowOnBattery ? `at least ${rules.batteryFloorPercent} %` : "not used",
    },
    {
      label: "Other programs",
      value: say(facts.otherCpuLoad, (load) => `${formatShare(load)} of CPU`),
      rule: `at most ${formatShare(rules.maxOtherCpuLoad)}`,
    },
  ];
}

function say<T>(fact: Known<T>, words: (value: T) => string): string {
  return fact.known ? words(fact.value) : "unknown";
}

function wholeSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600 && seconds % 60 === 0) return `${seconds / 60} min`;
  return formatDuration(Math.floor(seconds) * 1_000);
}
