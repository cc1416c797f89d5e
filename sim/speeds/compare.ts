import { randomFrom } from "../structures/random.ts";
import { speedPolicies } from "./policies.ts";
import { simulateSpeeds } from "./simulate.ts";
import { type Arrivals, drawJobs, mixedFleet } from "./trace.ts";

const cases: readonly { readonly arriving: Arrivals; readonly load: number }[] = [
  { arriving: "steady", load: 0.3 },
  { arriving: "steady", load: 0.6 },
  { arriving: "steady", load: 0.85 },
  { arriving: "steady", load: 0.95 },
  { arriving: "bursts", load: 0.5 },
];

type Turnaround = { readonly meanMs: number; readonly p95Ms: number };
type Compared = {
  readonly arriving: Arrivals;
  readonly load: number;
  readonly policies: { readonly [name: string]: Turnaround };
};

/** Compares the policies for a mixed fleet, each with the same jobs. */
export function compareSpeeds(options: {
  readonly devices: number;
  readonly jobs: number;
  readonly seed: number;
}): readonly Compared[] {
  const fleet = mixedFleet(options.devices);
  return cases.map((each) => {
    const trace = drawJobs(randomFrom(options.seed), fleet, { ...each, jobs: options.jobs });
    const policies = speedPolicies.map((policy) => {
      const times = simulateSpeeds(policy, fleet, trace, randomFrom(options.seed + 1));
      return [policy.name, turnaroundOf(times)] as const;
    });
    return { ...each, policies: Object.fromEntries(policies) };
  });
}

function turnaroundOf(times: readonly number[]): Turnaround {
  const sorted = times.toSorted((a, b) => a - b);
  const meanMs = sorted.reduce((sum, ms) => sum + ms, 0) / Math.max(1, sorted.length);
  return {
    meanMs: Math.round(meanMs),
    p95Ms: Math.round(sorted[Math.floor(sorted.length * 0.95)] ?? 0),
  };
}

/** Mean and 95th percentile of each policy, in seconds. */
export function speedTable(compared: readonly Compared[]): string {
  const head = ["policy", ...compared.map(({ arriving, load }) => `${arriving} ${String(load)}`)];
  const rows = speedPolicies.map(({ name }) => [
    name,
    ...compared.map(({ policies }) => {
      const { meanMs = 0, p95Ms = 0 } = policies[name] ?? {};
      return `${(meanMs / 1_000).toFixed(1)}, ${(p95Ms / 1_000).toFixed(1)}`;
    }),
  ]);
  return [head, ...rows]
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(26) : cell.padStart(14))).join(""))
    .join("\n");
}
