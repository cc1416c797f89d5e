const year = 366 * 24 * 3_600_000;

/** Formats a moment (ms since the epoch) for a `datetime-local` input, in local time. */
export function localMoment(at: number): string {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** Explains why a pause cannot last until then. Null if it can. */
export function pauseProblem(until: number, now: number): string | null {
  if (Number.isNaN(until)) return "Enter a date and a time.";
  if (until <= now) return "This time is in the past.";
  return until - now > year
    ? "A pause can last a year at most. For a longer one, choose “Until I resume”."
    : null;
}
