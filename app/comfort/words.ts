import { formatCount, formatShare, plural } from "../format/quantity.ts";
import { formatDuration, spellSeconds } from "../format/time.ts";
import type { Rules } from "../policy/rules.ts";
import type { ComfortHour } from "./hour.ts";
import { addedDelayMs, type ComfortPart, promises, type Verdict } from "./judge.ts";
import { easeAfterDays, type Tightening, tightenRules } from "./tighten.ts";
import type { ComfortView } from "./view.ts";

type PartWords = {
  readonly title: string;
  /** The promise, in one sentence. */
  readonly promise: string;
  /** A broken promise, after a colon. */
  readonly broken: string;
};

export const partWords: Readonly<Record<ComfortPart, PartWords>> = {
  yields: {
    title: "Stopping",
    promise: `Gleaner stops within ${formatCount(promises.yieldP95Ms)} ms when the computer is needed.`,
    broken: "stopping took too long",
  },
  delay: {
    title: "Other programs",
    promise: `Other programs wait at most ${formatCount(promises.addedDelayMs)} ms longer for the processor.`,
    broken: "other programs had to wait for the processor",
  },
  heat: {
    title: "Heat",
    promise: "The computer is not above its temperature limit for a minute.",
    broken: "the computer was too warm for a minute or longer",
  },
  battery: {
    title: "Battery",
    promise: "No battery charge is spent, unless the settings allow it.",
    broken: "battery charge was spent",
  },
};

export const verdictWords: Readonly<Record<Verdict, string>> = {
  kept: "Kept",
  broken: "Not kept",
  unknown: "Not known",
};

/** How often Gleaner kept its promises in the last seven days, in a sentence. */
export function sayWeek({ hours, keptHours }: ComfortView["week"]): string {
  if (hours === 0) return "No hour of donation was measured in the last seven days.";
  const donated = plural(hours, ["# hour", "# hours"]);
  if (keptHours === hours)
    return `Gleaner kept its promises in each hour of donation (${donated} in the last seven days).`;
  const broken = plural(hours - keptHours, ["# hour", "# hours"]);
  return `Gleaner broke a promise in ${broken} of donation (${donated} in the last seven days).`;
}

/** The measurements of a part in one hour, in a sentence. */
export function sayPart(part: ComfortPart, hour: ComfortHour): string {
  switch (part) {
    case "yields":
      return hour.yieldP95Ms === null
        ? "Nothing had to stop."
        : `95 of 100 stops took ${formatCount(hour.yieldP95Ms)} ms or less.`;
    case "delay": {
      const added = addedDelayMs(hour);
      return added === null
        ? "There were too few measurements with a job and without one."
        : `95 of 100 waits were at most ${formatCount(added)} ms longer while a job ran.`;
    }
    case "heat":
      if (hour.hotSeconds === null) return "This computer does not tell its temperature.";
      return hour.hotSeconds === 0
        ? "Never above the temperature limit."
        : `Above the temperature limit for ${formatDuration(hour.hotSeconds * 1_000)}.`;
    case "battery":
      if (hour.batteryPercent === null) return "This computer tells of no battery.";
      return hour.batteryPercent === 0
        ? "No charge was spent."
        : `${formatShare(hour.batteryPercent / 100)} of the charge was spent.`;
  }
}

/** The fan's speed in one hour, in a sentence. Nothing is promised about it. */
export function sayFan({ donatingFanRpm, restingFanRpm }: ComfortHour): string {
  if (donatingFanRpm === null) return "This computer does not tell the speed of a fan.";
  const donating = `${formatCount(donatingFanRpm)} turns a minute while it donated`;
  return restingFanRpm === null ? `${donating}.` : `${donating}, ${formatCount(restingFanRpm)} otherwise.`;
}

/**
 * Tightened limits in three sentences: by what, why, and until when. Null if nothing is tightened.
 * @param rules those without the tightening.
 * @param when the moment of the cause, in words.
 */
export function sayTightening(
  { step, cause, goodHours, neededHours }: Tightening,
  rules: Rules,
  mostThreads: number,
  when: (at: number) => string,
): string | null {
  if (step === 0 || cause === null) return null;
  const less = differences(rules, tightenRules(rules, step, mostThreads), mostThreads).join(", ");
  const hours = plural(neededHours - goodHours, ["# more hour", "# more hours"]);
  const days = plural(easeAfterDays, ["# day", "# days"]);
  return [
    less === ""
      ? "For now Gleaner would give less, but the rules are already as strict."
      : `For now Gleaner gives less: ${less}.`,
    `The reason: ${partWords[cause.part].broken} (${when(cause.startAt)}).`,
    `It gives more again, step by step: the next step is after ${hours} of donation without such a problem, or after ${days} without donation.`,
  ].join(" ");
}

function differences(own: Rules, tight: Rules, mostThreads: number): readonly string[] {
  const ownThreads = Math.min(own.idle.threads ?? mostThreads, mostThreads);
  const fewer = ownThreads - (tight.idle.threads ?? mostThreads);
  return [
    ...(fewer > 0 ? [plural(fewer, ["# processor core fewer", "# processor cores fewer"])] : []),
    ...(tight.quiet === own.quiet ? [] : ["half of the time"]),
    ...(tight.idle.gpu === own.idle.gpu ? [] : ["no GPU"]),
    ...(tight.inUse.mode === own.inUse.mode ? [] : ["nothing while you use the computer"]),
    ...(tight.modelWarmSeconds === own.modelWarmSeconds ? [] : ["no model stays in memory"]),
    ...(tight.idleAfterSeconds === own.idleAfterSeconds
      ? []
      : [`it waits ${spellSeconds(tight.idleAfterSeconds)} after the last input`]),
  ];
}
