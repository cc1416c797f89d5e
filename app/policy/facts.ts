/** A fact that this platform cannot know is `unknown`: shown as such, never guessed. */
export type Known<T> = { readonly known: true; readonly value: T } | { readonly known: false };

export const unknown: Known<never> = { known: false };

export function known<T>(value: T): Known<T> {
  return { known: true, value };
}

/** Everything that the decision looks at. Times are milliseconds since the epoch. */
export type Facts = {
  readonly now: number;
  /** Seconds since the last keyboard, mouse or touch input. */
  readonly idleSeconds: Known<number>;
  readonly power: Known<"ac" | "battery">;
  /** 0 to 100. */
  readonly batteryPercent: Known<number>;
  /** CPU load of everybody but us: 0 to 1, of all cores. */
  readonly otherCpuLoad: Known<number>;
  readonly connection: "online" | "offline";
  /** In its organization: not (any more) known there, at work for it, or taken out of service by an administrator. */
  readonly membership: "none" | "active" | "retired";
  /** The donor's own pause; `until: null` means until they resume. */
  readonly pause: { readonly until: number | null } | null;
  /** The donor's "donate now": idle or not, until this moment. */
  readonly donateNowUntil: number | null;
  /** Whether a model that this device may run is here and verified. */
  readonly modelReady: boolean;
};
