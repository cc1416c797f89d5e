/** The limits of a donating computer. */
export type Limits = {
  /** null: the number of physical cores minus one. */
  readonly threads: number | null;
  readonly gpu: boolean;
  /** Why jobs do not use a GPU that the rules allow: others use it, or their use is unknown. */
  readonly gpuHeldBy?: "others" | "unknown" | undefined;
  /** GPUs that stay unused where `gpu` is true, by the system's index. */
  readonly deniedGpus: readonly number[];
  /** In MiB; null: all free memory. */
  readonly memoryMb: number | null;
  /** The share of the time in which the threads may run: above 0, up to 1. */
  readonly dutyCycle: number;
  /** Use only as many processors as there are threads, and leave the others to the person at work. */
  readonly confined: boolean;
  /** Since when the threads rest because somebody types, in ms since the epoch; null: they run. */
  readonly stillSince: number | null;
};

export type DonateReason = "idle" | "donate-now" | "unattended" | "within-limits" | "finishing";

/** `since` is in milliseconds since the epoch. */
export type Donating = {
  readonly kind: "donating";
  readonly reason: DonateReason;
  readonly since: number;
  readonly limits: Limits;
};

/**
 * Not donating. The backend stores it as "holding".
 * `clearSince`: the reason ended then, and the donor waits a little in case it comes back.
 */
export type Standby<Reason extends string = string> = {
  readonly kind: "standby";
  readonly reason: Reason;
  readonly since: number;
  readonly clearSince?: number;
};
