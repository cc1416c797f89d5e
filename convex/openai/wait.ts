/** How an action waits for a job: it cannot subscribe, so it asks again, less often the longer it takes. */
const firstMs = 30;
const longestMs = 400;

/** An action ends after ten minutes; this leaves time to answer. */
export const waitLimitMs = 9 * 60_000;

export function nextInterval(intervalMs: number | null): number {
  return intervalMs === null ? firstMs : Math.min(longestMs, intervalMs * 1.4);
}

export async function sleep(ms: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, ms));
}
