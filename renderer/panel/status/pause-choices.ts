export type PauseChoice = { readonly label: string; readonly minutes: number | null };

/** The ways to pause. "Until tomorrow" means the next local 8:00 that is not today's. */
export function pauseChoices(now: number): readonly PauseChoice[] {
  return [
    { label: "For 15 minutes", minutes: 15 },
    { label: "For 1 hour", minutes: 60 },
    { label: "Until tomorrow 8:00", minutes: minutesUntilTomorrow(8, now) },
    { label: "Until I resume", minutes: null },
  ];
}

/** Whole minutes, rounded up, until tomorrow's `hour` o'clock local time. */
export function minutesUntilTomorrow(hour: number, now: number): number {
  const at = new Date(now);
  at.setDate(at.getDate() + 1);
  at.setHours(hour, 0, 0, 0);
  return Math.ceil((at.getTime() - now) / 60_000);
}
