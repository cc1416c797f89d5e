/**
 * What the defaults, the donor and the organization allow, put together (rule-layers.ts).
 * Each name is one rule: it is set, locked and shown as a whole. Sizes are in MiB.
 */
export type Rules = {
  /** Off where no person sits at the machine (a server, a lab machine): idleness is then not asked for. */
  readonly requireIdle: boolean;
  /** Idle means: no input for this many seconds. */
  readonly idleAfterSeconds: number;
  /** A locked computer counts as idle after ten seconds without input, however long the rule above is. */
  readonly idleWhenLocked: boolean;
  /** Whether "donate now" may stand for idleness and a calm computer. */
  readonly allowDonateNow: boolean;

  /** What a computer in use gives: nothing, or work within these limits. */
  readonly inUse: InUseLimits;
  /** What an idle one gives. */
  readonly idle: IdleLimits;
  /** Per GPU, by the system's index; one that is not named is allowed. */
  readonly gpus: readonly { readonly index: number; readonly allow: boolean }[];

  /** The hours of the week in which it may donate; null: always; none: never. */
  readonly schedule: readonly ScheduleWindow[] | null;

  readonly allowOnBattery: boolean;
  /** With battery allowed: not below this percentage. */
  readonly batteryFloorPercent: number;
  /** Hold above this many °C; null: as hot as the system lets it become. */
  readonly maxTemperatureC: number | null;
  /** Hold the clock and the fan down: the threads rest for a part of the time. */
  readonly quiet: boolean;

  /** Hold while other programs use more than this share of the CPU (0 to 1) … */
  readonly maxOtherCpuLoad: number;
  /** … and go on only once it has stayed this much below: so that it does not flap. Of the GPU likewise. */
  readonly otherCpuLoadHysteresis: number;
  /** Leave the GPU alone while other programs use more than this share of it. */
  readonly maxOtherGpuLoad: number;
  /** Hold while other programs leave less memory than this. */
  readonly minFreeMemoryMb: number;

  /** Hold while one of these programs runs: names of their files, in any case, with or without ".exe". */
  readonly excludedPrograms: readonly string[];
  readonly holdOnFullScreen: boolean;
  /** While the camera or the microphone is in use. */
  readonly holdOnCall: boolean;
  readonly holdOnMedia: boolean;

  readonly allowMetered: boolean;
  /** Donate only on a network of one of these names; none: on any. */
  readonly requiredNetworks: readonly string[];
  /** For all traffic of models, in kilobit per second; null: as fast as it comes. */
  readonly downloadKbps: number | null;
  readonly networkBudgetMbPerDay: number | null;
  /** How much disk the models may take … */
  readonly diskQuotaMb: number;
  /** … and how much of it stays free for everybody else. */
  readonly minFreeDiskMb: number;
  /** How long a model stays in memory after yielding; 0: it is freed at once. */
  readonly modelWarmSeconds: number;
  /** Whether models are fetched from, and given to, the organization's devices on the same network. */
  readonly shareModels: boolean;
};

export type RuleName = keyof Rules;

export type InUseLimits = {
  readonly mode: "off" | "limited";
  readonly threads: number;
  readonly gpu: boolean;
  readonly memoryMb: number;
};

export type IdleLimits = {
  /** null: one for each physical core but one. */
  readonly threads: number | null;
  readonly gpu: boolean;
  /** null: what is free. */
  readonly memoryMb: number | null;
};

/**
 * Local time on each of these days (0: Monday), from and to in minutes since midnight. One that ends before it begins, or
 * as it begins, ends on the next day.
 */
export type ScheduleWindow = {
  readonly days: readonly number[];
  readonly fromMinute: number;
  readonly toMinute: number;
};

export const defaultRules: Rules = {
  requireIdle: true,
  idleAfterSeconds: 120,
  idleWhenLocked: true,
  allowDonateNow: true,
  inUse: { mode: "off", threads: 1, gpu: false, memoryMb: 2_048 },
  idle: { threads: null, gpu: true, memoryMb: null },
  gpus: [],
  schedule: null,
  allowOnBattery: false,
  batteryFloorPercent: 50,
  maxTemperatureC: 85,
  quiet: false,
  maxOtherCpuLoad: 0.6,
  otherCpuLoadHysteresis: 0.15,
  maxOtherGpuLoad: 0.3,
  minFreeMemoryMb: 512,
  excludedPrograms: [],
  holdOnFullScreen: true,
  holdOnCall: true,
  holdOnMedia: true,
  allowMetered: false,
  requiredNetworks: [],
  downloadKbps: null,
  networkBudgetMbPerDay: null,
  diskQuotaMb: 20_480,
  minFreeDiskMb: 5_120,
  modelWarmSeconds: 0,
  shareModels: false,
};

export const ruleNames = Object.keys(defaultRules) as readonly RuleName[];
