import type { Facts } from "../../app/facts/facts.ts";
import type { Activity } from "../../app/policy/decision.ts";
import type { JournalFacts } from "./entry.ts";

type Names = readonly (keyof Facts)[];

const power: Names = ["power", "batteryPercent"];
const computer: Names = ["idleSeconds", "power", "otherCpuLoad"];

/** What of each reason is worth remembering: with which facts it was decided. */
const thatMatter: Readonly<Record<Activity["reason"], Names>> = {
  idle: ["idleSeconds", ...power, "otherCpuLoad", "temperatureC"],
  "donate-now": ["idleSeconds", ...power],
  unattended: [...power, "otherCpuLoad", "temperatureC"],
  "within-limits": ["idleSeconds", ...power, "otherCpuLoad"],
  finishing: ["idleSeconds"],
  starting: [],
  "not-enrolled": [],
  retired: [],
  offline: [],
  "paused-by-you": [],
  suspended: [],
  "outside-schedule": ["minuteOfWeek"],
  "other-network": ["networks"],
  "network-unknown": ["networks"],
  metered: ["metered"],
  "in-use": ["idleSeconds", "locked"],
  "idle-unknown": ["idleSeconds", "locked"],
  "on-battery": power,
  "battery-low": power,
  "power-unknown": power,
  "lid-closed": ["lidClosed", ...power],
  "too-hot": ["thermal", "temperatureC"],
  "excluded-program": ["excludedProgram"],
  "programs-unknown": ["excludedProgram"],
  "memory-low": ["memoryFreeMb", "vramFreeMb"],
  "full-screen": ["fullScreen"],
  "in-call": ["cameraInUse", "microphoneInUse"],
  "media-playing": ["mediaPlaying"],
  "other-load": ["otherCpuLoad", "otherGpuLoad"],
  "disk-full": ["diskFreeMb"],
  "no-model": ["diskFreeMb"],
};

/** The facts that mattered for a reason; without one, those that tell most of the computer's state. */
export function journalFacts(facts: Facts, reason: Activity["reason"] | null = null): JournalFacts {
  const names = reason === null ? computer : thatMatter[reason];
  return Object.fromEntries(names.map((name) => [name, plain(facts[name])]));
}

/** Unknown is null. What is neither numbers, words nor a yes or no is null, too. */
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
