import type { Facts } from "../../app/facts/facts.ts";
import type { Activity } from "../../app/policy/decision.ts";
import { donateReasons, standbyReasons } from "../../app/policy/reasons.ts";
import type { JournalFacts } from "./entry.ts";

/** The facts that tell most of the computer's state. */
const computer = ["idleSeconds", "power", "otherCpuLoad"] as const;

const reasons = { ...standbyReasons, ...donateReasons };

/** The facts that matter for a reason. Without a reason, the most telling ones. */
export function journalFacts(facts: Facts, reason: Activity["reason"] | null = null): JournalFacts {
  const names = reason === null ? computer : (reasons[reason].facts ?? []);
  return Object.fromEntries(names.map((name) => [name, plain(facts[name])]));
}

/** Unknown is null, and so is every value that is no number, text or boolean. */
function plain(fact: unknown): JournalFacts[string] {
  const value =
    typeof fact === "object" && fact !== null && "known" in fact
      ? fact.known === true && "value" in fact
        ? fact.value
        : null
      : fact;
  if (Array.isArray(value)) return value.join(", ").slice(0, 200) || null;
  if (typeof value === "number") return Number.isFinite(value) ? Math.round(value * 100) / 100 : null;
  if (typeof value === "string") return value === "" ? null : value.slice(0, 200);
  return typeof value === "boolean" ? value : null;
}
