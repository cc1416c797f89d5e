import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Scale, svgOf } from "../../scripts/chart/svg.ts";
import type { Options } from "../options.ts";
import { policies } from "../policies/all.ts";
import type { PolicyFigures } from "../report/figures-of.ts";
import { runAll } from "../report/run-all.ts";

const x: Scale = {
  label: "devices in the fleet",
  scale: "log",
  tick: (value) => value.toLocaleString("en-US"),
};
const fleets = [10, 32, 100, 316, 1_000, 3_162, 10_000, 31_623, 100_000, 316_228, 1_000_000];

type Curve = {
  readonly file: string;
  readonly title: string;
  readonly y: Scale;
  readonly of: (figures: PolicyFigures) => number;
};

/** A logarithmic axis has no 0. Smaller values are drawn here. */
const leastShare = 0.001;

const curves: readonly Curve[] = [
  {
    file: "queue-dispatch-p95.svg",
    title: "From submission to start, 95th percentile",
    y: { label: "milliseconds", scale: "log", tick: (value) => value.toLocaleString("en-US") },
    of: ({ p95 }) => Math.max(1, p95),
  },
  {
    file: "queue-conflicts.svg",
    title: "Conflicts for each job",
    y: {
      label: "transactions that lost and were run again",
      scale: "log",
      tick: (value) => (value === leastShare ? `≤ ${value}` : value.toLocaleString("en-US")),
    },
    of: ({ conflictsPerJob }) => Math.max(leastShare, conflictsPerJob),
  },
  {
    file: "queue-idle-while-waiting.svg",
    title: "Devices idle while a job waits",
    y: {
      label: "device time, as a share of the work",
      scale: "log",
      tick: (value) => `${Number((value * 100).toPrecision(2)).toLocaleString("en-US")} %`,
    },
    of: ({ idleWhileWaiting }) => Math.max(leastShare, idleWhileWaiting),
  },
  {
    file: "queue-cache-hits.svg",
    title: "Jobs started where their prefix is held",
    y: { label: "share of starts", scale: "share", tick: (value) => `${Math.round(value * 100)} %` },
    of: ({ cacheHits }) => cacheHits,
  },
  {
    file: "queue-steals.svg",
    title: "Jobs found away from home",
    y: { label: "steals for each job", scale: "share", tick: (value) => String(Number(value.toFixed(2))) },
    of: ({ stealsPerJob }) => stealsPerJob,
  },
];

/** Runs fleets of every size, and draws each figure over them into a folder. */
export async function drawCurves(
  options: Options,
  folder: string,
  say: (line: string) => void,
): Promise<void> {
  const names = policies.map(({ name }) => name);
  const runs: { devices: number; figures: { readonly [name: string]: PolicyFigures } }[] = [];
  for (const devices of fleets) {
    say(`a fleet of ${devices}`);
    runs.push({
      devices,
      figures: await runAll(names, options.scenarios, { ...options, devices }, () => undefined),
    });
  }
  await mkdir(folder, { recursive: true });
  for (const { file, of, ...chart } of curves) {
    // The second half of the policies has affinity: the same hues, dashed.
    const series = names.map((name) => ({
      name,
      dashed: name.endsWith("-affinity"),
      strong: name.startsWith("ring"),
      points: runs.flatMap(({ devices, figures }) => {
        const found = figures[name];
        return found === undefined ? [] : [{ x: devices, y: of(found) }];
      }),
    }));
    await writeFile(join(folder, file), svgOf({ ...chart, x, series }));
    say(join(folder, file));
  }
}
