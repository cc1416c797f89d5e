/** The last midnight on this computer's clock, in milliseconds since the epoch. */
export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}
