import { type Deployment, startDeployment } from "../../main/deployment.fixture.ts";
import type { Bench } from "../bench.ts";
import { startForeground } from "../interference/foreground.ts";
import { barLines } from "../support/bars.ts";
import { buildDesktop } from "../support/build.ts";
import { missingForDesktop, openDisplay } from "../support/display.ts";
import { machineLine, machineNow } from "../support/machine.ts";
import { repetitions } from "../support/repetitions.ts";
import { tableRow } from "../support/rows.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { type Phase, type Return, yieldBars, yieldFigures, yieldPhases } from "./figures.ts";
import { measureReturn, type Site } from "./measure.ts";
import { desktopSubject, headlessSubject, type Subject } from "./subject.ts";

const warmSeconds = 120;

type Series = {
  readonly name: string;
  readonly desktop: boolean;
  /** Whether the rules let the model stay in memory. */
  readonly keepsModel: boolean;
  /** The returns in each phase of a round. */
  readonly perRound: Readonly<Partial<Record<Phase, number>>>;
  /** The time limit of the series. */
  readonly withinMs: number;
};

/** Twenty returns per round, fewer on a slow machine. A model that stays is loaded once, so it has no loading phase. */
const returnSeries: readonly Series[] = [
  {
    name: "headless, model freed",
    desktop: false,
    keepsModel: false,
    perRound: { loading: 2, prefill: 2, generating: 1, batched: 2, busy: 2 },
    withinMs: 95_000,
  },
  {
    name: "headless, model kept",
    desktop: false,
    keepsModel: true,
    perRound: { prefill: 1, batched: 1, busy: 1 },
    withinMs: 30_000,
  },
  {
    name: "desktop, real input",
    desktop: true,
    keepsModel: false,
    perRound: { loading: 2, prefill: 1, generating: 2, batched: 1, busy: 2 },
    withinMs: 110_000,
  },
];

export const yieldBench: Bench = {
  summary: "ms from a person's return until the processor and the memory are free of llama.cpp",
  run: async (rounds, say) => {
    const machine = roundedNumbers(machineNow());
    const missing = missingForDesktop();
    if (missing === null) {
      say("building the desktop program");
      await buildDesktop();
    } else say(`without the desktop program, because ${missing}`);
    const deployment = await startDeployment("slow");
    const foreground = await startForeground();
    try {
      const returns: (Return | null)[] = [];
      for (const series of returnSeries.filter(({ desktop }) => missing === null || !desktop)) {
        say(series.name);
        returns.push(
          ...(await withSubject(deployment, series, (subject) =>
            all({ deployment, subject, foreground, keepsModel: series.keepsModel }, series, rounds, say),
          )),
        );
      }
      const caught = returns.filter((each) => each !== null);
      const json = {
        ...roundedNumbers(yieldFigures(caught)),
        notCaught: returns.length - caught.length,
        missing,
        machine,
      };
      const row = (label: string, of: typeof json | undefined): string =>
        tableRow(label, of === undefined ? ["–"] : [of.returns, of.p25, of.p50, of.p75, of.p95, of.max]);
      const text = [
        machineLine(machine),
        tableRow("ms from input to no work", ["returns", "p25", "p50", "p75", "p95", "max"]),
        ...yieldPhases.map((phase) => row(phase, json.phases[phase] as typeof json | undefined)),
        row("all", json),
        tableRow("ms from input to memory free", ["", "", "", "", json.memoryBackP95 ?? "–", ""]),
        tableRow("returns that did not catch the donor at work", [json.notCaught]),
        ...(missing === null ? [] : [`The desktop program was left out, because ${missing}.`]),
        "",
        ...barLines(yieldBars(json)),
      ].join("\n");
      return { json, text };
    } finally {
      await foreground.stop();
      await deployment.stop();
    }
  },
};

async function withSubject(
  deployment: Deployment,
  { name, desktop, keepsModel }: Series,
  work: (subject: Subject) => Promise<readonly (Return | null)[]>,
): Promise<readonly (Return | null)[]> {
  const id = name.replaceAll(/\W+/g, "-");
  const warm = keepsModel ? warmSeconds : 0;
  if (!desktop) return stopping(await headlessSubject(deployment, id, warm), work);
  const display = await openDisplay();
  try {
    return await stopping(await desktopSubject(deployment, id, warm, display.name), work);
  } finally {
    await display.close();
  }
}

async function stopping(
  subject: Subject,
  work: (subject: Subject) => Promise<readonly (Return | null)[]>,
): Promise<readonly (Return | null)[]> {
  try {
    return await work(subject);
  } finally {
    subject.close();
    subject.donor.process.kill("SIGTERM");
    await subject.donor.exited;
  }
}

async function all(
  site: Site,
  { perRound, withinMs }: Series,
  rounds: number,
  say: (line: string) => void,
): Promise<readonly (Return | null)[]> {
  const phases = yieldPhases.flatMap((phase) => Array.from({ length: perRound[phase] ?? 0 }, () => phase));
  // In random order within a round, so that no phase gets only quiet moments of the machine.
  const order = Array.from({ length: rounds }, () => phases.toSorted(() => Math.random() - 0.5)).flat();
  const returns: (Return | null)[] = [];
  for (const index of repetitions(order.length, withinMs)) {
    const phase = order[index] ?? "generating";
    const one = await measureReturn(site, phase);
    returns.push(one);
    if (one === null) say(`  ${phase}: not caught`);
    else say(`  ${one.phase}: ${one.stillMs.toFixed(0)} ms, memory ${one.memoryMs?.toFixed(0) ?? "kept"}`);
  }
  return returns;
}
