import type { DonateReason } from "./declare/activity.ts";
import type { Reason, ReasonWords } from "./declare/check.ts";
import { allChecks } from "./rules.ts";

type ReasonOf<Check> = Check extends { readonly reasons: infer Reasons } ? keyof Reasons : never;

/** Every "not now": those that the checks declare, and the one until the first decision. */
export type StandbyReason = "starting" | ReasonOf<(typeof allChecks)[number]>;

const starting: Reason = {
  short: "Starting",
  brief: "Gleaner is starting.",
  sentence: "Gleaner is starting.",
};

/** Why a donor is on standby. The words are the same in the panel, the console and the terminal; the tray has the brief ones. */
export const standbyReasons = Object.assign(
  { starting },
  ...allChecks.map(({ reasons }) => reasons),
) as Readonly<Record<StandbyReason, Reason>>;

/** Reasons about the donor itself. All others are about the computer at the moment. */
type DonorReason = Extract<
  StandbyReason,
  | "starting"
  | "not-enrolled"
  | "awaiting-approval"
  | "paused-by-server"
  | "paused-in-console"
  | "outdated"
  | "other-key"
  | "retired"
  | "offline"
  | "wrong-server"
  | "paused-by-you"
>;

const donorReasons: Readonly<Record<DonorReason, true>> = {
  starting: true,
  "not-enrolled": true,
  "awaiting-approval": true,
  "paused-by-server": true,
  "paused-in-console": true,
  outdated: true,
  "other-key": true,
  retired: true,
  offline: true,
  "wrong-server": true,
  "paused-by-you": true,
};

export function isDonorReason(reason: StandbyReason): reason is DonorReason {
  return reason in donorReasons;
}

/** Whether this device gets no jobs, whatever its donor does. */
export function isOutOfService(reason: DonateReason | StandbyReason): boolean {
  return outOfService.has(reason);
}

const outOfService: ReadonlySet<string> = new Set<StandbyReason>([
  "awaiting-approval",
  "paused-by-server",
  "paused-in-console",
  "outdated",
  "other-key",
  "retired",
  "wrong-server",
]);

/** Whether this device gets no jobs until it joins again, so that a pause changes nothing. */
export function hasToJoinAgain(reason: DonateReason | StandbyReason): boolean {
  return reason === "retired" || reason === "other-key";
}

/** Why it donates. */
export const donateReasons: Readonly<Record<DonateReason, Reason>> = {
  idle: {
    short: "Idle, donating",
    brief: "Gleaner is ready for the next job while you are away.",
    sentence: "Nobody is using this computer, so it works for your organization.",
    facts: ["idleSeconds", "power", "batteryPercent", "otherCpuLoad", "temperatureC"],
  },
  "donate-now": {
    short: "Donating now",
    brief: "Gleaner donates now, even while you work.",
    sentence: "“Donate now” is on, so Gleaner works even while you use this computer.",
    toOthers: {
      short: "Donating now",
      sentence: "“Donate now” is on there, so Gleaner works even while somebody uses the computer.",
    },
    facts: ["idleSeconds", "power", "batteryPercent"],
  },
  "within-limits": {
    short: "Donating within limits",
    brief: "Gleaner donates within limits while you work.",
    sentence: "You are using this computer, so Gleaner keeps to the limits for that.",
    toOthers: {
      short: "Donating within limits",
      sentence: "Somebody is using this computer, so Gleaner keeps to the limits for that.",
    },
    facts: ["idleSeconds", "power", "batteryPercent", "otherCpuLoad"],
  },
  finishing: {
    short: "Finishing, then pausing",
    brief: "Gleaner finishes its job and then pauses.",
    sentence: "As you asked, Gleaner finishes the current job, takes no more, and then pauses.",
    toOthers: {
      short: "Finishing, then pausing",
      sentence: "As its user asked, Gleaner finishes the current job, takes no more, and then pauses.",
    },
    facts: ["idleSeconds"],
  },
  unattended: {
    short: "Donating",
    brief: "Gleaner donates at any time on this computer.",
    sentence: "Nobody sits at this machine, so it donates at any time.",
    facts: ["power", "batteryPercent", "otherCpuLoad", "temperatureC"],
  },
};

/** Every reason, to donate or not to. */
export const activityReasons: Readonly<Record<DonateReason | StandbyReason, Reason>> = {
  ...donateReasons,
  ...standbyReasons,
};

/** The words for a stored or reported reason; null if it is unknown, as one of another version. */
export function reasonWords(reason: string): ReasonWords | null {
  return Object.hasOwn(activityReasons, reason)
    ? activityReasons[reason as DonateReason | StandbyReason]
    : null;
}
