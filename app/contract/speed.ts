import * as z from "zod";

/** A library that llama.cpp computes with. */
export const backend = z.enum(["cpu", "cuda", "vulkan", "metal"]);
export type Backend = z.infer<typeof backend>;

const tokensPerSecond = z.number().min(0);

/** The speed of one model on this device with one backend, one job at a time. */
export const measuredSpeed = z
  .object({ prefill: tokensPerSecond, generate: tokensPerSecond, backend })
  .readonly();
export type MeasuredSpeed = z.infer<typeof measuredSpeed>;
export type Speed = Omit<MeasuredSpeed, "backend">;

/** Tokens per second, rounded to three digits. */
export function perSecond(tokens: number, ms: number): number {
  return rounded((tokens / Math.max(ms, 1)) * 1_000);
}

/** The known speed after one more measurement. Recent ones count for more, a single odd one for little. */
export function smoothedSpeed(known: Speed | null, measured: Speed): Speed {
  if (known === null) return measured;
  const mix = (before: number, now: number): number => rounded(before * 0.7 + now * 0.3);
  return {
    prefill: mix(known.prefill, measured.prefill),
    generate: mix(known.generate, measured.generate),
  };
}

/** The ratio of two steps of `speedStep`. */
const stepRatio = 1.25;

/**
 * A speed in tokens per second, rounded to a power of 1.25. Devices tell the queue their speeds in these steps: each change
 * ends their wait for jobs and starts another.
 */
export function speedStep(tokensPerSecond: number): number {
  if (tokensPerSecond <= 0) return 0;
  return rounded(stepRatio ** Math.round(Math.log(tokensPerSecond) / Math.log(stepRatio)));
}

/** Whether a device should tell the queue a new speed at once: it told none, or one that is two steps away. */
export function isNews(told: Speed | null, now: Speed): boolean {
  if (told === null) return true;
  const differs = (before: number, after: number): boolean =>
    Math.max(before, after) >= stepRatio ** 2 * Math.min(before, after);
  return differs(told.prefill, now.prefill) || differs(told.generate, now.generate);
}

/** Three significant digits. A measurement is not more precise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
