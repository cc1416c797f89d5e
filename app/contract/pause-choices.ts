import { assertNever } from "../assert-never.ts";

/** How long a pause lasts: named, so that it is turned into minutes when it is chosen, not when it is offered. */
export type PauseLength =
  | { readonly kind: "minutes"; readonly minutes: number }
  | { readonly kind: "until-tomorrow"; readonly hour: number }
  /** The next one that is not today; 1 is Monday, as in `Date`. */
  | { readonly kind: "until-weekday"; readonly weekday: number; readonly hour: number }
  | { readonly kind: "until-resumed" };

export type PauseChoice = { readonly label: string; readonly length: PauseLength };

/** The ways to pause, the same in the tray and in the window, which has any other length and moment too. */
export const pauseChoices: readonly PauseChoice[] = [
  { label: "For 15 minutes", length: { kind: "minutes", minutes: 15 } },
  { label: "For 1 hour", length: { kind: "minutes", minutes: 60 } },
  { label: "For 4 hours", length: { kind: "minutes", minutes: 240 } },
  { label: "Until tomorrow 8:00", length: { kind: "until-tomorrow", hour: 8 } },
  { label: "Until Monday 8:00", length: { kind: "until-weekday", weekday: 1, hour: 8 } },
  { label: "Until I resume", length: { kind: "until-resumed" } },
];

/**
 * A pause that begins at `now` (ms since the epoch), in whole minutes, rounded up; null means until resumed.
 * "Tomorrow" is the next local day, at that hour of its clock.
 */
export function pauseMinutes(length: PauseLength, now: number): number | null {
  switch (length.kind) {
    case "minutes":
      return length.minutes;
    case "until-tomorrow":
      return minutesUntil(1, length.hour, now);
    case "until-weekday": {
      const days = (length.weekday - new Date(now).getDay() + 7) % 7;
      return minutesUntil(days === 0 ? 7 : days, length.hour, now);
    }
    case "until-resumed":
      return null;
    default:
      return assertNever(length);
  }
}

/** Until that hour of the local clock, so many days from today. */
function minutesUntil(days: number, hour: number, now: number): number {
  const at = new Date(now);
  at.setDate(at.getDate() + days);
  at.setHours(hour, 0, 0, 0);
  return Math.ceil((at.getTime() - now) / 60_000);
}
