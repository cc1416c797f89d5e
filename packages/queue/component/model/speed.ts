import type { Capabilities, JobSize, Requirements, Speed } from "../../shared/validators.ts";

/** A job, as far as its duration depends on it. */
export type Sized = {
  readonly kind: string;
  readonly requirements?: Requirements | undefined;
  readonly size?: JobSize | undefined;
};

/** The speed of a worker for jobs of a kind; null if it reported none. */
export function speedFor(
  capabilities: Capabilities | undefined,
  { kind, requirements }: Pick<Sized, "kind" | "requirements">,
): Speed | null {
  const of = requirements?.model ?? kind;
  return capabilities?.speeds?.find((speed) => speed.of === of) ?? null;
}

/** How long a job takes at a speed, in milliseconds. Infinity for a speed of 0. */
export function durationMs({ input, output }: JobSize, { inputPerSecond, outputPerSecond }: Speed): number {
  return 1_000 * (secondsFor(input, inputPerSecond) + secondsFor(output, outputPerSecond));
}

function secondsFor(units: number, perSecond: number): number {
  return units === 0 ? 0 : units / perSecond;
}

/** How long a worker takes for a job, in milliseconds; null if the job's size or the worker's speed is unknown. */
export function expectedMs(capabilities: Capabilities | undefined, job: Sized): number | null {
  const speed = speedFor(capabilities, job);
  return job.size === undefined || speed === null ? null : durationMs(job.size, speed);
}
