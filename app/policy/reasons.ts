/** Every "not now". The same words everywhere: tray, panel, console. */
export type HoldReason =
  | "starting"
  | "not-enrolled"
  | "retired"
  | "offline"
  | "paused-by-you"
  | "suspended"
  | "outside-schedule"
  | "other-network"
  | "network-unknown"
  | "metered"
  | "in-use"
  | "idle-unknown"
  | "on-battery"
  | "battery-low"
  | "power-unknown"
  | "lid-closed"
  | "too-hot"
  | "excluded-program"
  | "programs-unknown"
  | "memory-low"
  | "full-screen"
  | "in-call"
  | "media-playing"
  | "other-load"
  | "disk-full"
  | "no-model";

/** Those that say how the donor stands; all others say how the computer is just now. */
export type StandingReason = Extract<
  HoldReason,
  "starting" | "not-enrolled" | "retired" | "offline" | "paused-by-you"
>;

const standing: Readonly<Record<StandingReason, true>> = {
  starting: true,
  "not-enrolled": true,
  retired: true,
  offline: true,
  "paused-by-you": true,
};

export function isStanding(reason: HoldReason): reason is StandingReason {
  return reason in standing;
}

/** Why it donates. */
export type DonateReason = "idle" | "donate-now" | "unattended" | "within-limits" | "finishing";

export type ReasonWords = {
  /** A few words for a tray tooltip or a table cell. */
  readonly short: string;
  /** One sentence that says why and what will change it. */
  readonly sentence: string;
  /** The same for somebody who is not the donor: where the words above say "you". */
  readonly toOthers?: { readonly short: string; readonly sentence: string };
};

export const holdReasons: Readonly<Record<HoldReason, ReasonWords>> = {
  starting: { short: "Starting", sentence: "Gleaner is starting." },
  "not-enrolled": {
    short: "Not enrolled",
    sentence: "This device does not belong to an organization yet. Enter an enrolment code to join one.",
  },
  retired: {
    short: "Retired",
    sentence: "An administrator retired this device. It gets no more jobs.",
  },
  offline: {
    short: "Offline",
    sentence: "The organization's server cannot be reached. Gleaner keeps trying.",
  },
  "paused-by-you": {
    short: "Paused by you",
    sentence: "You paused donating.",
    toOthers: { short: "Paused by its user", sentence: "Its user paused donating." },
  },
  suspended: {
    short: "Asleep",
    sentence: "This computer goes to sleep. Gleaner goes on when it is awake again.",
  },
  "outside-schedule": {
    short: "Outside its hours",
    sentence: "The schedule leaves this hour free. Gleaner goes on when its hours begin.",
  },
  "other-network": {
    short: "Another network",
    sentence: "This computer is not on a network on which it may donate. Gleaner waits until it is.",
  },
  "network-unknown": {
    short: "Network unknown",
    sentence:
      "It may donate on certain networks only, and this system does not say on which it is, so Gleaner stays out of the way.",
  },
  metered: {
    short: "Metered network",
    sentence: "This network is metered or roaming. Gleaner waits for one that is not.",
  },
  "in-use": {
    short: "You are using it",
    sentence: "You are using this computer. Gleaner waits until you have been away for a while.",
    toOthers: {
      short: "In use",
      sentence: "Somebody is using this computer. Gleaner waits until they have been away for a while.",
    },
  },
  "idle-unknown": {
    short: "Cannot tell if idle",
    sentence: "This system does not say whether somebody is using it, so Gleaner stays out of the way.",
  },
  "on-battery": {
    short: "On battery",
    sentence: "This computer runs on battery. Gleaner waits for mains power.",
  },
  "battery-low": {
    short: "Battery low",
    sentence: "The battery is below the level you allow.",
    toOthers: { short: "Battery low", sentence: "The battery is below the level its user allows." },
  },
  "power-unknown": {
    short: "Power unknown",
    sentence: "This system does not say whether it runs on battery, so Gleaner stays out of the way.",
  },
  "lid-closed": {
    short: "Lid closed",
    sentence: "The lid is closed and mains power is not certain, so Gleaner stays cool and waits.",
  },
  "too-hot": {
    short: "Too warm",
    sentence: "This computer is too warm. Gleaner waits until it has cooled down.",
  },
  "excluded-program": {
    short: "Excluded program",
    sentence: "A program runs beside which Gleaner is to do nothing. It waits until that is closed.",
  },
  "programs-unknown": {
    short: "Programs unknown",
    sentence:
      "Gleaner is to do nothing beside certain programs, and this system does not say which ones run, so it stays out of the way.",
  },
  "memory-low": {
    short: "Memory needed",
    sentence: "Other programs need the memory. Gleaner waits until they leave enough.",
  },
  "full-screen": {
    short: "Full screen",
    sentence: "A program fills the screen. Gleaner waits until it no longer does.",
  },
  "in-call": {
    short: "On a call",
    sentence: "The camera or the microphone is in use. Gleaner waits until the call is over.",
  },
  "media-playing": {
    short: "Media playing",
    sentence: "Sound or a film is playing. Gleaner waits until it ends.",
  },
  "disk-full": {
    short: "Disk nearly full",
    sentence:
      "No model is here yet, and the disk has no room for one. Free some space, or allow models to leave less of it free.",
    toOthers: {
      short: "Disk nearly full",
      sentence: "No model is on it yet, and its disk has no room for one.",
    },
  },
  "other-load": {
    short: "Computer busy",
    sentence: "Other programs need the processor. Gleaner waits until they are done.",
  },
  "no-model": {
    short: "No model yet",
    sentence: "No model that your organization uses is on this device yet.",
  },
};

export const donateReasons: Readonly<Record<DonateReason, ReasonWords>> = {
  idle: {
    short: "Idle, donating",
    sentence: "Nobody is using this computer, so it works for your organization.",
  },
  "donate-now": {
    short: "Donating now",
    sentence: "You asked Gleaner to donate now, even while you work.",
    toOthers: {
      short: "Donating now",
      sentence: "Its user asked Gleaner to donate now, even while they work.",
    },
  },
  "within-limits": {
    short: "Donating within limits",
    sentence: "You are using this computer, so Gleaner keeps to the limits for that.",
    toOthers: {
      short: "Donating within limits",
      sentence: "Somebody is using this computer, so Gleaner keeps to the limits for that.",
    },
  },
  finishing: {
    short: "Finishing, then pausing",
    sentence: "As you asked, Gleaner finishes the job under way, takes no other, and pauses then.",
    toOthers: {
      short: "Finishing, then pausing",
      sentence: "As its user asked, Gleaner finishes the job under way, takes no other, and pauses then.",
    },
  },
  unattended: { short: "Donating", sentence: "Nobody sits at this machine, so it donates at any time." },
};
