import { type Behavior, type FleetFigures, simulateFleet } from "./fleet.ts";

const honestJobs = 200;

/** The behaviors of dishonest devices, by name. */
const kinds: Readonly<Record<string, Behavior>> = {
  "random-text": { fraud: "random-text", honestJobs: 0, inPairs: false },
  "smaller-model": { fraud: "smaller-model", honestJobs: 0, inPairs: false },
  "wrong-quantization": { fraud: "wrong-quantization", honestJobs: 0, inPairs: false },
  "copied-answers": { fraud: "copied-answers", honestJobs: 0, inPairs: false },
  "colluding-pairs": { fraud: "smaller-model", honestJobs: 0, inPairs: true },
  "pairs-of-one-owner": { fraud: "smaller-model", honestJobs: 0, inPairs: true, ofOneOwner: true },
  "honest-then-dishonest": { fraud: "smaller-model", honestJobs, inPairs: false },
};

type Simulated = FleetFigures & { readonly dishonest: number; readonly kind: string };

/** Simulates an honest fleet, and fleets with a few and with many devices of each dishonest kind. */
export function simulateFleets(options: {
  readonly devices: number;
  readonly jobs: number;
  readonly seed: number;
}): readonly Simulated[] {
  const honest = { dishonest: 0, kind: "honest", behavior: null };
  const mixed = Object.entries(kinds).flatMap(([kind, behavior]) =>
    [0.05, 0.2].map((dishonest) => ({ dishonest, kind, behavior })),
  );
  return [honest, ...mixed].map(({ dishonest, kind, behavior }) => ({
    dishonest,
    kind,
    ...simulateFleet({ ...options, dishonest, behavior }),
  }));
}

/** The figures as a table. */
export function fleetTable(fleets: readonly Simulated[]): string {
  const head = ["dishonest", "kind", "caught", "jobs, p95", "wrong delivered", "overhead", "honest accused"];
  const rows = fleets.map((fleet) => [
    percent(fleet.dishonest),
    fleet.kind,
    fleet.dishonest === 0 ? "–" : percent(fleet.caught),
    String(fleet.jobsUntilCaughtP95 ?? "–"),
    percent(fleet.wrongDelivered),
    percent(fleet.overhead),
    percent(fleet.honestAccused),
  ]);
  const widths = [12, 24, 10, 12, 18, 11, 0];
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
