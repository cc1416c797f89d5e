import { endOfPeriod, type KeyUse, quotaPeriods, type Quotas } from "../keys/quotas.ts";
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

/**
 * The quota of tokens that is nearest to its end, as OpenAI's headers tell it; empty without one. Of two with as much left, the one
 * that begins anew later.
 */
export function tokenHeaders(quotas: Quotas, use: KeyUse, now: number): Readonly<Record<string, string>> {
  const left = quotaPeriods.flatMap((period) => {
    const limit = quotas[period]?.tokens;
    if (limit === undefined) return [];
    const tokens = Math.max(0, limit - use[period].tokens);
    return [{ limit, tokens, resetMs: endOfPeriod(period, now) - now }];
  });
  const [nearest] = left.sort((a, b) => a.tokens - b.tokens || b.resetMs - a.resetMs);
  if (nearest === undefined) return {};
  return {
    "x-ratelimit-limit-tokens": String(nearest.limit),
    "x-ratelimit-remaining-tokens": String(nearest.tokens),
    "x-ratelimit-reset-tokens": durationOf(nearest.resetMs),
  };
}

/** As OpenAI writes durations: "120ms", "6s", "1m30s", "16h0m0s". */
function durationOf(ms: number): string {
  if (ms < 1_000) return `${String(Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const parts = [
    ...(hours > 0 ? [`${String(hours)}h`] : []),
    ...(seconds >= 60 ? [`${String(minutes)}m`] : []),
  ];
  return `${parts.join("")}${String(seconds % 60)}s`;
}
