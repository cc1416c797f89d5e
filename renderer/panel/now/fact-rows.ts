import type { FactsView } from "../../../app/contract/snapshot.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import { sayRule } from "../../../app/policy/say-rule.ts";
import { formatShare } from "../../../app/format/quantity.ts";
import { factLabel, sayFact, wholeSeconds } from "./fact-words.ts";

export type FactRow = { readonly label: string; readonly value: string; readonly rule: string };

/** What decides most of the time, beside what the rules ask for. */
export function factRows(facts: FactsView, rules: Rules): readonly FactRow[] {
  const row = (name: keyof FactsView, rule: string): FactRow => ({
    label: factLabel(name),
    value: sayFact(name, facts[name]),
    rule,
  });
  return [
    row(
      "idleSeconds",
      rules.requireIdle ? `idle after ${wholeSeconds(rules.idleAfterSeconds)}` : "not asked for",
    ),
    row("power", rules.allowOnBattery ? "battery is fine" : "mains only"),
    row("batteryPercent", rules.allowOnBattery ? `at least ${rules.batteryFloorPercent} %` : "not used"),
    row("otherCpuLoad", `at most ${formatShare(rules.maxOtherCpuLoad)}`),
    row("temperatureC", rules.maxTemperatureC === null ? "no limit" : `at most ${rules.maxTemperatureC} °C`),
    row("memoryFreeMb", `at least ${sayRule("minFreeMemoryMb", rules.minFreeMemoryMb)}`),
  ];
}
