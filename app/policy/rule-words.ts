import type { RuleName } from "./rules.ts";

export type RuleSection = "when" | "gives" | "power" | "others" | "network" | "models";

export const ruleSections: Readonly<Record<RuleSection, string>> = {
  when: "When",
  gives: "What a computer gives",
  power: "Power and heat",
  others: "Other programs",
  network: "Network",
  models: "Models",
};

export type RuleWords = {
  readonly section: RuleSection;
  /** A few words, the same wherever the rule is shown. */
  readonly title: string;
  /** One sentence that says what it does. */
  readonly hint: string;
};

/** Every rule in words, in the order in which they are shown. */
export const ruleWords: Readonly<Record<RuleName, RuleWords>> = {
  requireIdle: {
    section: "when",
    title: "Only while nobody uses it",
    hint: "Off for machines at which nobody sits, such as servers.",
  },
  idleAfterSeconds: {
    section: "when",
    title: "Unused after",
    hint: "How long there is no input before a computer counts as unused.",
  },
  idleWhenLocked: {
    section: "when",
    title: "Unused as soon as it is locked",
    hint: "A locked screen counts ten seconds after the last input, however long the time above is.",
  },
  allowDonateNow: {
    section: "when",
    title: "“Donate now”",
    hint: "Whether donors may let it work while they use the computer.",
  },
  schedule: {
    section: "when",
    title: "Hours",
    hint: "The hours of the week in which it may donate, in the computer's own time zone.",
  },
  idle: {
    section: "gives",
    title: "While unused",
    hint: "What it gives while nobody uses it.",
  },
  inUse: {
    section: "gives",
    title: "While in use",
    hint: "Nothing; or work within these limits, half of the time and not while you type.",
  },
  gpus: {
    section: "gives",
    title: "GPUs left alone",
    hint: "By the system's number, from 0. Only CUDA can leave one out: without it, none is used.",
  },
  allowOnBattery: {
    section: "power",
    title: "On battery",
    hint: "Whether it may donate without mains power.",
  },
  batteryFloorPercent: {
    section: "power",
    title: "Battery at least",
    hint: "On battery it stops below this charge.",
  },
  maxTemperatureC: {
    section: "power",
    title: "Not hotter than",
    hint: "It holds while the processor is hotter.",
  },
  quiet: {
    section: "power",
    title: "Quiet",
    hint: "The threads rest for a part of the time, so that clock and fan stay low.",
  },
  maxOtherCpuLoad: {
    section: "others",
    title: "Processor, used by others, at most",
    hint: "It holds while other programs use more than this share.",
  },
  otherCpuLoadHysteresis: {
    section: "others",
    title: "… and goes on this far below",
    hint: "Keeps it from stopping and starting all the time. Holds for the GPU, too.",
  },
  maxOtherGpuLoad: {
    section: "others",
    title: "GPU, used by others, at most",
    hint: "It leaves the GPU alone while other programs use more than this share.",
  },
  minFreeMemoryMb: {
    section: "others",
    title: "Memory left free",
    hint: "It holds while other programs leave less than this.",
  },
  excludedPrograms: {
    section: "others",
    title: "Not beside these programs",
    hint: "It holds while one of them runs: names of program files, with or without .exe.",
  },
  holdOnFullScreen: {
    section: "others",
    title: "Holds for a full screen",
    hint: "A presentation, a film or a game.",
  },
  holdOnCall: {
    section: "others",
    title: "Holds for a call",
    hint: "While the camera or the microphone is in use.",
  },
  holdOnMedia: {
    section: "others",
    title: "Holds for music and films",
    hint: "While sound or video is played.",
  },
  allowMetered: {
    section: "network",
    title: "On metered networks",
    hint: "Mobile networks, hotspots and roaming. A network of which the system does not say so counts as not metered.",
  },
  requiredNetworks: {
    section: "network",
    title: "Only on these networks",
    hint: "Names of a Wi-Fi, an interface or a DNS suffix; none: on any network.",
  },
  downloadKbps: {
    section: "network",
    title: "Download speed at most",
    hint: "For all models together.",
  },
  networkBudgetMbPerDay: {
    section: "network",
    title: "Downloads a day at most",
    hint: "After that the rest comes on the next day.",
  },
  shareModels: {
    section: "network",
    title: "Share models in the office",
    hint: "Devices of your organization on one network fetch models from each other before the internet.",
  },
  diskQuotaMb: {
    section: "models",
    title: "Disk for models at most",
    hint: "The model that was not used for longest gives way.",
  },
  minFreeDiskMb: {
    section: "models",
    title: "Disk left free",
    hint: "Nothing is downloaded while there is less.",
  },
  modelWarmSeconds: {
    section: "models",
    title: "Kept in memory after a stop",
    hint: "0: the memory is free within a second of somebody coming back.",
  },
};
