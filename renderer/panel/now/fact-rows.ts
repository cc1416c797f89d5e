import type { FactsView } from "../../../app/contract/snapshot.ts";
import { factLabel, sayFact } from "../../../app/facts/facts.ts";
import { formatRoundMebibytes, formatShare } from "../../../app/format/quantity.ts";
import { spellSeconds } from "../../../app/format/time.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import { sayRule } from "../../../app/policy/say-rule.ts";

type FactRow = Readonly<Record<"label" | "value" | "rule", string>> & { readonly known: boolean };

/** The facts that usually decide, each next to its rule. */
export function factRows(facts: FactsView, rules: Rules): readonly FactRow[] {
  const row = (name: keyof FactsView, rule: string): FactRow => ({
    label: factLabel(name),
    value: sayFact(name, facts[name]),
    known: facts[name].known,
    rule,
  });
  return [
    row(
      "idleSeconds",
      rules.requireIdle ? `idle after ${spellSeconds(rules.idleAfterSeconds)}` : "not required",
    ),
    row("power", rules.allowOnBattery ? "battery is fine" : "mains only"),
    row(
      "batteryPercent",
      rules.allowOnBattery ? `at least ${formatShare(rules.batteryFloorPercent / 100)}` : "does not count",
    ),
    row("otherCpuLoad", `at most ${formatShare(rules.maxOtherCpuLoad)}`),
    row(
      "temperatureC",
      rules.maxTemperatureC === null
        ? "no limit"
        : `at most ${sayRule("maxTemperatureC", rules.maxTemperatureC)}`,
    ),
    row("memoryFreeMb", `at least ${formatRoundMebibytes(rules.minFreeMemoryMb)}`),
  ];
}
