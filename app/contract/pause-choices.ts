import { assertNever } from "../assert-never.ts";

/** The length of a pause. It becomes minutes when it is chosen, not when it is offered. */
export type PauseLength =
  | { readonly kind: "minutes"; readonly minutes: number }
  | { readonly kind: "until-tomorrow"; readonly hour: number }
  /** The next such day after today. 1 is Monday, as in `Date`. */
  | { readonly kind: "until-weekday"; readonly weekday: number; readonly hour: number }
  | { readonly kind: "until-resumed" };

type PauseChoice = { readonly label: string; readonly length: PauseLength };

/** The choices in the tray and in the window. The window also accepts any other length. */
export const pauseChoices: readonly PauseChoice[] = [
  { label: "For 15 minutes", length: { kind: "minutes", minutes: 15 } },
  { label: "For 1 hour", length: { kind: "minutes", minutes: 60 } },
  { label: "For 4 hours", length: { kind: "minutes", minutes: 240 } },
  { label: "Until tomorrow 8:00", length: { kind: "until-tomorrow", hour: 8 } },
  { label: "Until Monday 8:00", length: { kind: "until-weekday", weekday: 1, hour: 8 } },
  { label: "Until I resume", length: { kind: "until-resumed" } },
];

/**
 * The length of a pause from `now` (ms since the epoch) in whole minutes, rounded up. Null means until resumed.
 * "Tomorrow" is the next local day.
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

/** The minutes until this hour, local time, `days` after today. */
function minutesUntil(days: number, hour: number, now: number): number {
  const at = new Date(now);
  at.setDate(at.getDate() + days);
  at.setHours(hour, 0, 0, 0);
  return Math.ceil((at.getTime() - now) / 60_000);
}
