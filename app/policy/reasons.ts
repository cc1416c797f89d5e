/** Every "not now". The same words everywhere: tray, panel, console. */
export type HoldReason =
  | "starting"
  | "not-enrolled"
  | "retired"
  | "offline"
  | "paused-by-you"
  | "in-use"
  | "idle-unknown"
  | "on-battery"
  | "battery-low"
  | "power-unknown"
  | "other-load"
  | "no-model";

/** Why it donates. */
export type DonateReason = "idle" | "donate-now" | "unattended";

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
  unattended: { short: "Donating", sentence: "Nobody sits at this machine, so it donates at any time." },
};
