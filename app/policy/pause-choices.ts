import { assertNever } from "../assert-never.ts";

/** How long a pause lasts: named, so that it is turned into minutes when it is chosen, not when it is offered. */
export type PauseLength =
  | { readonly kind: "minutes"; readonly minutes: number }
  | { readonly kind: "until-tomorrow"; readonly hour: number }
  | { readonly kind: "until-resumed" };

export type PauseChoice = { readonly label: string; readonly length: PauseLength };

/** The ways to pause, the same in the tray and in the window. */
export const pauseChoices: readonly PauseChoice[] = [
  { label: "For 15 minutes", length: { kind: "minutes", minutes: 15 } },
  { label: "For 1 hour", length: { kind: "minutes", minutes: 60 } },
  { label: "Until tomorrow 8:00", length: { kind: "until-tomorrow", hour: 8 } },
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
    case "until-tomorrow": {
      const at = new Date(now);
      at.setDate(at.getDate() + 1);
      at.setHours(length.hour, 0, 0, 0);
      return Math.ceil((at.getTime() - now) / 60_000);
    }
    case "until-resumed":
      return null;
    default:
      return assertNever(length);
  }
}
