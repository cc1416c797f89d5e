import type { JobSize, Rate } from "../../packages/queue/shared/validators.ts";
import { exponential, normal, type Random } from "../structures/random.ts";

/** A job of a mixed fleet. `at`: its submission, ms. `point`: its place on the ring, in [0, 1). */
export type Job = { readonly at: number; readonly size: JobSize; readonly point: number };

/** The slowest and the fastest device, in tokens a second. */
export const speeds = { least: 3, most: 120 };
/** Tokens of an answer: lognormal. */
const tokens = { mean: 150, sigma: 1, least: 5, most: 1_200 };
const burst = 40;

export const arrivals = ["steady", "bursts"] as const;
export type Arrivals = (typeof arrivals)[number];

/** Devices whose speeds are evenly spread over the orders of magnitude. */
export function mixedFleet(devices: number): readonly Rate[] {
  return Array.from({ length: devices }, (_, index) => {
    const outputPerSecond = speeds.least * (speeds.most / speeds.least) ** ((index + 0.5) / devices);
    return { inputPerSecond: 10 * outputPerSecond, outputPerSecond };
  });
}

/** Jobs that keep a share of the fleet's speed busy. They come singly, or in bursts of 40. */
export function drawJobs(
  random: Random,
  fleet: readonly Rate[],
  { jobs, load, arriving }: { readonly jobs: number; readonly load: number; readonly arriving: Arrivals },
): readonly Job[] {
  const perSecond = fleet.reduce((sum, { outputPerSecond }) => sum + outputPerSecond, 0);
  const betweenMs = (1_000 * tokens.mean) / (load * perSecond);
  let at = 0;
  return Array.from({ length: jobs }, (_, index) => {
    if (arriving === "steady") at += exponential(random, betweenMs);
    else if (index % burst === 0) at += exponential(random, burst * betweenMs);
    const drawn = tokens.mean * Math.exp(tokens.sigma * normal(random) - tokens.sigma ** 2 / 2);
    const output = Math.max(tokens.least, Math.min(tokens.most, Math.round(drawn)));
    return { at, size: { input: 0, output }, point: random.next() };
  });
}
