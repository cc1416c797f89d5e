/** A fact that this platform cannot know is `unknown`: shown as such, never guessed. */
export type Known<T> = { readonly known: true; readonly value: T } | { readonly known: false };

export const unknown: Known<never> = { known: false };

export function known<T>(value: T): Known<T> {
  return { known: true, value };
}

/**
 * What is known about this computer. A sensor fills in each; until one does, it is unknown.
 * Sizes are in MiB, shares from 0 to 1, of everybody but us.
 */
export type ComputerFacts = {
  /** Seconds since the last keyboard, mouse or touch input. */
  readonly idleSeconds: Known<number>;
  /** The session is locked: nobody sits in front of it, or they are about to type their password. */
  readonly locked: Known<boolean>;
  readonly displayOff: Known<boolean>;
  readonly lidClosed: Known<boolean>;
  readonly power: Known<"ac" | "battery">;
  /** 0 to 100. */
  readonly batteryPercent: Known<number>;
  readonly thermal: Known<ThermalState>;
  /** The hottest sensor of the processor or its package, in °C. */
  readonly temperatureC: Known<number>;
  /** CPU load of everybody but us: 0 to 1, of all cores. */
  readonly otherCpuLoad: Known<number>;
  /** GPU load of everybody but us, of the busiest GPU. */
  readonly otherGpuLoad: Known<number>;
  /** What programs could still get; what our own runner holds counts as free, since it gives it back. */
  readonly memoryFreeMb: Known<number>;
  readonly vramFreeMb: Known<number>;
  /** On the disk that holds the models. */
  readonly diskFreeMb: Known<number>;
  readonly fullScreen: Known<boolean>;
  readonly cameraInUse: Known<boolean>;
  readonly microphoneInUse: Known<boolean>;
  readonly mediaPlaying: Known<boolean>;
  /** The first of the rules' excluded programs that runs; `known(null)`: none of them does. */
  readonly excludedProgram: Known<string | null>;
  /** Roaming counts as metered. */
  readonly metered: Known<boolean>;
  /** Names by which rules may know an office network or a VPN: interface, SSID, DNS suffix. */
  readonly networks: Known<readonly string[]>;
};

/** As macOS grades it; other systems' signs are mapped to it by their sensor. */
export type ThermalState = "nominal" | "fair" | "serious" | "critical";

/** Of a computer about which nothing is known yet. */
export const unknownComputer: ComputerFacts = {
  idleSeconds: unknown,
  locked: unknown,
  displayOff: unknown,
  lidClosed: unknown,
  power: unknown,
  batteryPercent: unknown,
  thermal: unknown,
  temperatureC: unknown,
  otherCpuLoad: unknown,
  otherGpuLoad: unknown,
  memoryFreeMb: unknown,
  vramFreeMb: unknown,
  diskFreeMb: unknown,
  fullScreen: unknown,
  cameraInUse: unknown,
  microphoneInUse: unknown,
  mediaPlaying: unknown,
  excludedProgram: unknown,
  metered: unknown,
  networks: unknown,
};

/** Everything that the decision looks at. Times are milliseconds since the epoch. */
export type Facts = ComputerFacts & {
  readonly now: number;
  /** Whole minutes of local time since Monday 00:00: 0 to 10 079. Time zone and daylight saving are in it. */
  readonly minuteOfWeek: number;
  /** The system goes to sleep, or slept until a moment ago: the shell's events say so. */
  readonly suspended: boolean;
  readonly connection: "online" | "offline";
  /** In its organization: not (any more) known there, at work for it, or taken out of service by an administrator. */
  readonly membership: "none" | "active" | "retired";
  /** The donor's own pause; `until: null` means until they resume. */
  readonly pause: { readonly until: number | null } | null;
  /** The donor asked to finish the job under way, and to pause then. */
  readonly finishThenPause: boolean;
  /** The donor's "donate now": idle or not, until this moment. */
  readonly donateNowUntil: number | null;
  /** Whether a model that this device may run is here and verified. */
  readonly modelReady: boolean;
};
