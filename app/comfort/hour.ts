import * as z from "zod";

export const hourMs = 3_600_000;

const milliseconds = z.number().min(0).max(hourMs);
const seconds = z.number().min(0).max(3_600);
const revolutions = z.number().min(0).max(100_000);

/** The most steps by which limits are tightened. */
export const mostSteps = 4;

/**
 * The measurements of one hour in which a computer donated. Null: this computer cannot tell, and nothing is guessed. The
 * organization gets it. It shows when a computer donated, and so, by and large, when nobody was at it. So it has no count of stops.
 */
export const comfortHour = z.strictObject({
  /** A whole hour since the epoch (UTC); ms. */
  startAt: z.number().int().min(0).multipleOf(hourMs),
  donatedSeconds: seconds,
  /** From an input, or another reason, until nothing of a job uses the processor. 95 % of all stops. Null without any. */
  yieldP95Ms: milliseconds.nullable(),
  /** How late a timer of normal priority fires while a job runs, and beside it while none runs. */
  workingDelayMs: milliseconds.nullable(),
  restingDelayMs: milliseconds.nullable(),
  /** The time above the temperature limit while it donated, and until it cooled down. */
  hotSeconds: seconds.nullable(),
  /** Battery charge that was spent while it donated, in percent of a full one. */
  batteryPercent: z.number().min(0).max(100).nullable(),
  /** Whether the rules allowed donating on battery. */
  mayUseBattery: z.boolean(),
  /** The mean speed of the fastest fan while it donated, and beside it while it did not. */
  donatingFanRpm: revolutions.nullable(),
  restingFanRpm: revolutions.nullable(),
  /** By how many steps the limits are tightened after this hour. */
  step: z.number().int().min(0).max(mostSteps),
});

export type ComfortHour = Readonly<z.infer<typeof comfortHour>>;

/** An hour as it was measured. */
export type MeasuredHour = Omit<ComfortHour, "step">;

/** An hour with less donation is not judged. */
export const leastDonatedSeconds = 60;

/** The start of the hour that a moment is in; ms since the epoch. */
export function hourOf(at: number): number {
  return Math.floor(at / hourMs) * hourMs;
}
