import { formatCount, formatMebibytes, formatShare } from "../format/quantity.ts";
import { formatDuration, formatMinuteOfWeek } from "../format/time.ts";

/** A fact is known, or `unknown` if this platform does not report it. An unknown fact is never guessed. */
export type Known<T> = { readonly known: true; readonly value: T } | { readonly known: false };

export const unknown: Known<never> = { known: false };

export function known<T>(value: T): Known<T> {
  return { known: true, value };
}

export function isTrue(fact: Known<boolean>): boolean {
  return fact.known && fact.value;
}

/** The declaration of one fact: the type of its value, and how people read it. */
type Fact<T> = {
  /** A few words, the same in the panel, the console and the terminal. */
  readonly label: string;
  readonly say: (value: T) => string;
  /** The policy's behavior while the fact is unknown, if people have to know it. */
  readonly whenUnknown?: string;
};

/** macOS' grades. The sensors of other systems map their readings to them. */
export type ThermalState = "nominal" | "fair" | "serious" | "critical";

/**
 * All that sensors can tell about this computer, in the order in which people read it.
 * Sizes are in MiB. Loads are shares from 0 to 1 and leave out our own programs.
 * To add a fact, declare it here and name it in the `facts` of a sensor (main/sensors/).
 */
const computerFacts = {
  /** Seconds since the last keyboard, mouse or touch input. */
  idleSeconds: fact<number>("Last input", (value) =>
    value < 1 ? "just now" : `${formatDuration(Math.floor(value) * 1_000)} ago`,
  ),
  locked: yesOrNo("Screen locked"),
  displayOff: yesOrNo("Display off"),
  lidClosed: yesOrNo("Lid closed"),
  power: fact<"ac" | "battery">("Power", (value) =>
    value === "ac" ? /* @wc-include */ "mains" : /* @wc-include */ "battery",
  ),
  /** 0 to 100. */
  batteryPercent: fact<number>("Battery", (value) => formatShare(value / 100)),
  thermal: fact<ThermalState>("Heat level", (value) => value),
  /** The hottest sensor of the processor or its package, in °C. */
  temperatureC: fact<number>("Temperature", (value) => `${Math.round(value)} °C`),
  /** Of the fastest fan, in turns a minute. No rule needs it. */
  fanRpm: fact<number>("Fan", (value) => `${formatCount(value)} rpm`),
  /** Of all cores together. */
  otherCpuLoad: fact<number>("Other programs", (value) => `${formatShare(value)} of the processor`),
  /** Of the busiest GPU that jobs would use. */
  otherGpuLoad: { ...fact<number>("Others on the GPU", formatShare), whenUnknown: "jobs do not use the GPU" },
  /** Memory that programs can still get. Our own runner's memory counts as free, since it gives it back. */
  memoryFreeMb: fact<number>("Free memory", formatMebibytes),
  vramFreeMb: fact<number>("Free GPU memory", formatMebibytes),
  /** On the disk that holds the models. */
  diskFreeMb: fact<number>("Free disk", formatMebibytes),
  fullScreen: yesOrNo("Full screen"),
  cameraInUse: yesOrNo("Camera in use"),
  microphoneInUse: yesOrNo("Microphone in use"),
  mediaPlaying: yesOrNo("Media playing"),
  /** The first of the rules' excluded programs that is running; null: none is. */
  excludedProgram: fact<string | null>("Excluded program", (value) => value ?? /* @wc-include */ "none"),
  /** Roaming counts as metered. */
  metered: { ...yesOrNo("Metered network"), whenUnknown: "counts as not metered" },
  /** Names that identify an office network or a VPN: interface, SSID, DNS suffix. */
  networks: fact<readonly string[]>("Networks", (value) => value.join(", ") || /* @wc-include */ "none"),
};

/** Facts about the clock and about sleep. They are always known. */
const clockFacts = {
  suspended: yesOrNo("Going to sleep"),
  minuteOfWeek: fact<number>("Time of the week", formatMinuteOfWeek),
};

function fact<T>(label: string, say: (value: T) => string): Fact<T> {
  return { label, say };
}

function yesOrNo(label: string): Fact<boolean> {
  return fact(label, (value) => (value ? /* @wc-include */ "yes" : /* @wc-include */ "no"));
}

type ValueOf<Declared> = Declared extends Fact<infer T> ? T : never;

export type FactName = keyof typeof computerFacts;

export const factNames = Object.keys(computerFacts) as readonly FactName[];

/** A fact that sensors tell. */
export type SensedFact = FactName | "suspended";

export const sensedFacts: readonly SensedFact[] = [...factNames, "suspended"];

export type ComputerFacts = { readonly [Name in FactName]: Known<ValueOf<(typeof computerFacts)[Name]>> };

/** A computer about which nothing is known yet. */
export const unknownComputer = Object.fromEntries(factNames.map((name) => [name, unknown])) as ComputerFacts;

/** Everything that a decision depends on. Times are milliseconds since the epoch. */
export type Facts = ComputerFacts & {
  readonly now: number;
  /** Whole minutes of local time since Monday 00:00: 0 to 10 079. Includes the time zone and daylight saving. */
  readonly minuteOfWeek: number;
  /** The system is going to sleep, or was asleep until a moment ago. */
  readonly suspended: boolean;
  /** `wrong-server`: the server at the backend's address does not have the pinned key. */
  readonly connection: "online" | "offline" | "wrong-server";
  /**
   * In its organization: no member, waiting for approval, in service, paused because too many jobs failed, paused by a person
   * in the console, too old a version, known by another signing key, or retired by an administrator.
   */
  readonly membership:
    "none" | "pending" | "active" | "paused" | "paused-on-request" | "outdated" | "other-key" | "retired";
  /** The donor's own pause; `until: null` means until they resume. */
  readonly pause: { readonly until: number | null } | null;
  /** The donor asked to finish the current job, then pause. */
  readonly finishThenPause: boolean;
  /** The donor's "donate now": donate until this moment even while the computer is in use. */
  readonly donateNowUntil: number | null;
  /** The GPU's load is being sampled, because a job uses a GPU or is about to. */
  readonly gpuSampled: boolean;
  /** Whether this device has a verified model that it may run. */
  readonly modelReady: boolean;
};

/** The label of a fact. A fact of another version keeps its name. */
export function factLabel(name: string): string {
  return declared(name)?.label ?? name;
}

/** A fact's value in words. Facts of another version, and stored ones, have no type here. */
export function sayFact(name: string, fact: Known<unknown>): string {
  const words = declared(name);
  if (!fact.known)
    return words?.whenUnknown === undefined ? /* @wc-include */ "unknown" : `unknown: ${words.whenUnknown}`;
  return words === undefined ? String(fact.value) : words.say(fact.value as never);
}

function declared(name: string): Fact<never> | undefined {
  const all: Readonly<Record<string, Fact<never>>> = { ...computerFacts, ...clockFacts };
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
