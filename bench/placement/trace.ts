/** A worker's speed, in tokens a second. */
export type WorkerSpeed = { readonly input: number; readonly output: number };

/** A job, `atMs` after the first one. */
export type TracedJob = { readonly number: number; readonly atMs: number; readonly tokens: number };

/** The slowest and the fastest worker, in tokens a second. */
export const speeds = { least: 3, most: 120 };
/** The share of the fleet's speed that the jobs need. */
export const load = 0.6;
const tokens = { mean: 80, sigma: 0.9, least: 5, most: 240 };

/** Speeds that are evenly spread over the orders of magnitude. */
export function drawSpeeds(workers: number): readonly WorkerSpeed[] {
  return Array.from({ length: workers }, (_, index) => {
    const output = speeds.least * (speeds.most / speeds.least) ** ((index + 0.5) / workers);
    return { input: 10 * output, output };
  });
}

/** Jobs of lognormal length that come by a Poisson process for a time. */
export function drawTrace(
  fleet: readonly WorkerSpeed[],
  lastsMs: number,
  random: () => number,
): readonly TracedJob[] {
  const perSecond = fleet.reduce((sum, { output }) => sum + output, 0);
  const betweenMs = (1_000 * tokens.mean) / (load * perSecond);
  const jobs: TracedJob[] = [];
  for (let atMs = 0; atMs < lastsMs; atMs -= Math.log(1 - random()) * betweenMs) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const drawn = tokens.mean * Math.exp(tokens.sigma * normal - tokens.sigma ** 2 / 2);
    const bounded = Math.max(tokens.least, Math.min(tokens.most, Math.round(drawn)));
    jobs.push({ number: jobs.length + 1, atMs, tokens: bounded });
  }
  return jobs;
}
