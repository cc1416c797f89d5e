import type { Activity } from "../../app/policy/decision.ts";
import type { Facts } from "../../app/policy/facts.ts";
import type { JournalFacts } from "./entry.ts";

/** What of each reason is worth remembering: with which facts it was decided. */
const thatMatter: Readonly<Partial<Record<Activity["reason"], readonly (keyof Facts)[]>>> = {
  idle: ["idleSeconds", "power", "batteryPercent", "otherCpuLoad"],
  "donate-now": ["idleSeconds", "power", "batteryPercent"],
  unattended: ["power", "otherCpuLoad"],
  "in-use": ["idleSeconds"],
  "on-battery": ["power", "batteryPercent"],
  "battery-low": ["power", "batteryPercent"],
  "power-unknown": ["power", "batteryPercent"],
  "other-load": ["otherCpuLoad"],
};

const always: readonly (keyof Facts)[] = ["idleSeconds", "power", "otherCpuLoad"];

/** The facts that mattered for a reason; without one, those that tell most of the computer's state. */
export function journalFacts(facts: Facts, reason: Activity["reason"] | null = null): JournalFacts {
  const names = reason === null ? always : (thatMatter[reason] ?? []);
  return Object.fromEntries(names.map((name) => [name, plain(facts[name])]));
}

/** Unknown is null. What is neither a number, a word nor a yes or no is left out as null, too. */
function plain(fact: unknown): JournalFacts[string] {
  const value =
    typeof fact === "object" && fact !== null && "known" in fact
      ? fact.known === true && "value" in fact
        ? fact.value
        : null
      : fact;
  if (typeof value === "number") return Number.isFinite(value) ? Math.round(value * 100) / 100 : null;
  if (typeof value === "string") return value === "" ? null : value.slice(0, 200);
  return typeof value === "boolean" ? value : null;
}
