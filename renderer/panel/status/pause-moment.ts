const year = 366 * 24 * 3_600_000;

/** A moment (ms since the epoch) in local time, as a field for a day and a time has it. */
export function localMoment(at: number): string {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** Why nobody can pause until then, in a sentence; null where they can. */
export function pauseProblem(until: number, now: number): string | null {
  if (Number.isNaN(until)) return "Enter a day and a time.";
  if (until <= now) return "That moment is past.";
  return until - now > year ? "A year at most. To pause for longer, choose “Until I resume”." : null;
}
