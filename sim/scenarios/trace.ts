import { availableMs, inUseMs, jobMeanMs, jobSigma, prefixMs } from "../figures.ts";
import { pointCount } from "../policies/home-slots.ts";
import { exponential, mix, normal, type Random, randomFrom } from "../structures/random.ts";
import { zipf } from "../structures/zipf.ts";

export const scenarioNames = ["light", "bursts", "hot-prefix", "batch"] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** The jobs of one scenario. Every policy gets the same ones. */
export type Trace = {
  readonly scenario: ScenarioName;
  readonly devices: number;
  readonly jobs: number;
  readonly seed: number;
  /** The submission times in ms, in order. */
  readonly arrivals: Float64Array;
  /** The durations without the prefix, in ms. */
  readonly lengths: Float64Array;
  /** Hashed. */
  readonly prefixes: Int32Array;
  readonly points: Uint16Array;
  /** The share of busy devices at the start. */
  readonly busyAtStart: number;
  /** Earlier jobs warm up the fleet and do not count. */
  readonly countedFrom: number;
  /** A prefix with the jobs' distribution. */
  readonly drawPrefix: (random: Random) => number;
};

export type Load = {
  readonly devices: number;
  readonly jobs: number;
  readonly seed: number;
  /** The share of the fleet that the jobs keep busy. `batch` keeps the whole fleet busy. */
  readonly load: number;
};

/** Jobs per burst: a tenth of the devices, at most 2,000 as in Workpool's published figures. */
const mostInABurst = 2_000;
const shareOfHotPrefix = 0.5;
const devicesPerPrefix = 50;
const fewestPrefixes = 50;

export function drawTrace(scenario: ScenarioName, { devices, jobs, seed, load }: Load): Trace {
  const random = randomFrom(mix(seed) ^ mix(scenarioNames.indexOf(scenario) + 1));
  const rank = zipf(Math.max(fewestPrefixes, Math.floor(devices / devicesPerPrefix)));
  const hotShare = scenario === "hot-prefix" ? shareOfHotPrefix : 0;
  const drawPrefix = (from: Random) => hashed(hotShare > 0 && from.next() < hotShare ? 0 : rank(from));
  const available = availableOf(devices);
  const perMs = (load * available) / (jobMeanMs + prefixMs);
  const arrivals = arrivalsOf(scenario, jobs, perMs, Math.ceil(available / 10), random);
  const prefixes = new Int32Array(jobs);
  const lengths = new Float64Array(jobs);
  const points = new Uint16Array(jobs);
  for (let job = 0; job < jobs; job += 1) {
    prefixes[job] = drawPrefix(random);
    lengths[job] = jobLength(random);
    points[job] = random.below(pointCount);
  }
  return {
    scenario,
    devices,
    jobs,
    seed,
    arrivals,
    lengths,
    prefixes,
    points,
    busyAtStart: scenario === "batch" ? 1 : load,
    countedFrom: scenario === "batch" ? 0 : Math.floor((jobs * 2) / 3),
    drawPrefix,
  };
}

/** The average number of available devices in a fleet. */
export function availableOf(devices: number): number {
  return (devices * availableMs) / (availableMs + inUseMs);
}

/** In ms, without a prefix. @param skew 1 draws the job at a random moment, which favors long jobs. */
export function jobLength(random: Random, skew: 0 | 1 = 0): number {
  const mu = Math.log(jobMeanMs) - jobSigma ** 2 / 2;
  return Math.exp(mu + skew * jobSigma ** 2 + jobSigma * normal(random));
}

function hashed(rank: number): number {
  return mix(rank + 1) >>> 1;
}

function arrivalsOf(
  scenario: ScenarioName,
  jobs: number,
  perMs: number,
  tenth: number,
  random: Random,
): Float64Array {
  const arrivals = new Float64Array(jobs);
  if (scenario === "batch") return arrivals;
  const burst = Math.min(mostInABurst, tenth);
  // One submission in burst + 1 is a burst, so that half of the jobs arrive singly.
  const jobsPerSubmission = scenario === "bursts" ? (2 * burst) / (burst + 1) : 1;
  const meanGap = jobsPerSubmission / perMs;
  let now = 0;
  for (let job = 0; job < jobs;) {
    now += exponential(random, meanGap);
    const together = scenario === "bursts" && random.next() < 1 / (burst + 1) ? burst : 1;
    for (let one = 0; one < together && job < jobs; one += 1, job += 1) arrivals[job] = now;
  }
  return arrivals;
}
