import type { Capabilities, JobSize, Rate, Requirements, Speed } from "../../shared/validators.ts";

/** A job, as far as its duration depends on it. */
export type Sized = {
  readonly kind: string;
  readonly requirements?: Requirements | undefined;
  readonly size?: JobSize | undefined;
};

/** The speed of a worker for jobs of a kind; null if it reported none. */
export function rateFor(
  capabilities: Capabilities | undefined,
  { kind, requirements }: Pick<Sized, "kind" | "requirements">,
): Rate | null {
  const speed = speedFor(capabilities, { kind, requirements });
  if (speed === null) return null;
  const { inputPerSecond, outputPerSecond } = speed;
  return { inputPerSecond, outputPerSecond };
}

/** The time in ms that a worker needs before its next job of a kind. 0: none, or it reported no speed. */
export function setupFor(
  capabilities: Capabilities | undefined,
  job: Pick<Sized, "kind" | "requirements">,
): number {
  return speedFor(capabilities, job)?.setupMs ?? 0;
}

function speedFor(
  capabilities: Capabilities | undefined,
  { kind, requirements }: Pick<Sized, "kind" | "requirements">,
): Speed | null {
  const of = requirements?.model ?? kind;
  return capabilities?.speeds?.find((each) => each.of === of) ?? null;
}

/** How long a job takes at a speed, in milliseconds. Infinity for a speed of 0. */
export function durationMs({ input, output }: JobSize, { inputPerSecond, outputPerSecond }: Rate): number {
  return 1_000 * (secondsFor(input, inputPerSecond) + secondsFor(output, outputPerSecond));
}

function secondsFor(units: number, perSecond: number): number {
  return units === 0 ? 0 : units / perSecond;
}

/** How long a worker takes for a job at most, in milliseconds; null if the job's size or the worker's speed is unknown. */
export function expectedMs(capabilities: Capabilities | undefined, job: Sized): number | null {
  const rate = rateFor(capabilities, job);
  return job.size === undefined || rate === null ? null : durationMs(job.size, rate);
}

/** How long a job will probably take at a speed, in milliseconds. */
export function likelyMs(size: JobSize, rate: Rate): number {
  return durationMs({ ...size, output: size.likelyOutput ?? size.output }, rate);
}

/** The speed by which workers are compared: of writing, or of reading if jobs of this kind write nothing. */
function comparable({ inputPerSecond, outputPerSecond }: Rate): number {
  return outputPerSecond === 0 ? inputPerSecond : outputPerSecond;
}

/**
 * The speed of a fleet to compare a worker with: half of the fleet's speed comes from workers that are at least this fast.
 * So a few fast workers among many slow ones do not hold the slow ones back. No worker counts with more than four times the
 * median, because a worker may claim any speed. Null for an empty fleet.
 */
export function referenceRate(rates: readonly Rate[]): Rate | null {
  const sorted = rates.toSorted((a, b) => comparable(b) - comparable(a));
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) return null;
  const most = mostMedians * comparable(median);
  const half = sorted.reduce((sum, rate) => sum + Math.min(most, comparable(rate)), 0) / 2;
  let covered = 0;
  const found = sorted.find((rate) => (covered += Math.min(most, comparable(rate))) >= half) ?? median;
  const share = comparable(found) > most ? most / comparable(found) : 1;
  return {
    inputPerSecond: share * found.inputPerSecond,
    outputPerSecond: share * found.outputPerSecond,
  };
}

const mostMedians = 4;

/** Whether a worker is less than half as fast as the lane's reference. A worker of unknown speed is not. */
export function isSlow(own: Rate | undefined, reference: Rate | undefined): boolean {
  return own !== undefined && reference !== undefined && comparable(own) < comparable(reference) / 2;
}

/** A worker leaves a job to faster ones for this share of the time that the job would take longer on it. */
const patience = 0.25;

/**
 * How long a worker leaves a ready job to faster workers, in milliseconds since the job became ready. 0 if the worker is
 * as fast as the lane's reference, or if anything is unknown. Simulated in sim/speeds/.
 */
export function patienceMs(
  size: JobSize | undefined,
  own: Rate | undefined | null,
  reference: Rate | undefined,
): number {
  if (size === undefined || own == null || reference === undefined) return 0;
  const loss = likelyMs(size, own) - likelyMs(size, reference);
  return Math.min(longestPatienceMs, Math.max(0, patience * loss));
}

/** After that time a job goes to any worker. The speeds may be wrong. */
const longestPatienceMs = 60_000;
