import { rates } from "./limits.ts";

/** How many calls an API key may still make at once, by its last counted calls. */
export type CallsLeft = { readonly calls: number; readonly resetMs: number };

const { perMinute, burst } = rates.apiCalls;

/**
 * The calls that are left after one more, and when all would be again.
 * @param known the calls that were left at a moment; both times are ms epoch.
 */
export function callsLeftAfter(
  known: { readonly calls: number; readonly at: number },
  now: number,
): CallsLeft {
  const perMs = perMinute / 60_000;
  const left = Math.min(burst, known.calls + Math.max(0, now - known.at) * perMs) - 1;
  return { calls: Math.max(0, Math.floor(left)), resetMs: Math.ceil((burst - left) / perMs) };
}

/** The rate as OpenAI's headers tell it. `limit`: the calls that may be made at once. */
export function rateHeaders({ calls, resetMs }: CallsLeft): Readonly<Record<string, string>> {
  return {
    "x-ratelimit-limit-requests": String(burst),
    "x-ratelimit-remaining-requests": String(calls),
    "x-ratelimit-reset-requests": durationOf(resetMs),
  };
}

/** As OpenAI writes durations: "120ms", "6s", "1m30s". */
function durationOf(ms: number): string {
  if (ms < 1_000) return `${String(Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${String(seconds)}s` : `${String(minutes)}m${String(seconds % 60)}s`;
}
