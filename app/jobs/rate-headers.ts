import { endOfPeriod, type KeyUse, quotaPeriods, type Quotas } from "../keys/quotas.ts";
import { rates } from "./limits.ts";

/** How many calls an API key may still make at once, by its last counted calls. */
export type CallsLeft = { readonly calls: number; readonly resetMs: number };

const { perMinute, burst, spare } = rates.apiCalls;
const perMs = perMinute / 60_000;

/** The calls that were left at a moment, ms epoch. */
type KnownCalls = { readonly calls: number; readonly at: number };

/** The calls that are left after one more, and when all would be again. @param now ms epoch. */
export function callsLeftAfter(known: KnownCalls, now: number): CallsLeft {
  const left = Math.min(burst, callsAt(known, now)) - 1;
  return { calls: Math.max(0, Math.floor(left)), resetMs: Math.ceil((burst - left) / perMs) };
}

/**
 * One of so many calls is counted, and counts for all of them. Of calls at the same moment more may be drawn than their share: of 100
 * calls hardly ever more than the spare ones.
 */
const sampledOf = 8;

/**
 * How many calls to count for a call. A count has a cost: the rate limiter then looks for further ones for two seconds, in a dozen
 * runs of functions. So while all calls of a burst and some spare ones are left, only a sample is counted.
 * @param random from 0 to 1
 */
export function callsToCount(known: KnownCalls, now: number, random: number): number {
  if (callsAt(known, now) - sampledOf < burst) return 1;
  return random < 1 / sampledOf ? sampledOf : 0;
}

function callsAt({ calls, at }: KnownCalls, now: number): number {
  return Math.min(burst + spare, calls + Math.max(0, now - at) * perMs);
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
