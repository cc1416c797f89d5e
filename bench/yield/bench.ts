import { type Deployment, startDeployment } from "../../main/deployment.fixture.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { buildDesktop } from "../support/build.ts";
import { tableRow } from "../support/rows.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { type Phase, type Return, yieldBars, yieldFigures, yieldPhases } from "./figures.ts";
import { measureReturn } from "./measure.ts";
import { desktopSubject, headlessSubject, openDisplay, type Subject } from "./subject.ts";

const warmSeconds = 120;

type Series = {
  readonly name: string;
  readonly desktop: boolean;
  /** Whether the rules let the model stay in memory. */
  readonly keepsModel: boolean;
  /** The returns in each phase of a round. */
  readonly perRound: Readonly<Partial<Record<Phase, number>>>;
};

/** Twenty returns per round. A model that stays is loaded once, so it has no loading phase. */
const returnSeries: readonly Series[] = [
  {
    name: "headless, model freed",
    desktop: false,
    keepsModel: false,
    perRound: { loading: 3, prefill: 2, generating: 2, batched: 2 },
  },
  {
    name: "headless, model kept",
    desktop: false,
    keepsModel: true,
    perRound: { prefill: 1, generating: 1, batched: 1 },
  },
  {
    name: "desktop, real input",
    desktop: true,
    keepsModel: false,
    perRound: { loading: 2, prefill: 2, generating: 2, batched: 2 },
  },
];

export const yieldBench: Bench = {
  summary: "ms from a person's return until the processor and the memory are free of llama.cpp",
  run: async (rounds, say) => {
    say("building the desktop program");
    await buildDesktop();
    const deployment = await startDeployment("slow");
    try {
      const returns: Return[] = [];
      for (const series of returnSeries) {
        say(series.name);
        returns.push(
          ...(await withSubject(deployment, series, (subject) =>
            all(deployment, subject, series, rounds, say),
          )),
        );
      }
      const json = roundedNumbers(yieldFigures(returns));
      const row = (label: string, of: typeof json | undefined): string =>
        tableRow(label, of === undefined ? ["–"] : [of.returns, of.p50, of.p95, of.max]);
      const text = [
        tableRow("ms from input to no work", ["returns", "p50", "p95", "max"]),
        ...yieldPhases.map((phase) => row(phase, json.phases[phase] as typeof json | undefined)),
        row("all", json),
        tableRow("ms from input to memory free", ["", "", json.memoryBackP95, ""]),
        "",
        ...barLines(yieldBars(json)),
      ].join("\n");
      return { json, text };
    } finally {
      await deployment.stop();
    }
  },
};

async function withSubject(
  deployment: Deployment,
  { name, desktop, keepsModel }: Series,
  work: (subject: Subject) => Promise<readonly Return[]>,
): Promise<readonly Return[]> {
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
  work: (subject: Subject) => Promise<readonly Return[]>,
): Promise<readonly Return[]> {
  try {
    return await work(subject);
  } finally {
    subject.donor.process.kill("SIGTERM");
    await subject.donor.exited;
  }
}

async function all(
  deployment: Deployment,
  subject: Subject,
  { perRound, keepsModel }: Series,
  rounds: number,
  say: (line: string) => void,
): Promise<readonly Return[]> {
  const phases = yieldPhases.flatMap((phase) =>
    Array.from({ length: (perRound[phase] ?? 0) * rounds }, () => phase),
  );
  const returns: Return[] = [];
  // In random order, so that no phase gets only quiet moments of the machine.
  for (const phase of phases.toSorted(() => Math.random() - 0.5)) {
    const one = await measureReturn(deployment, subject, phase, keepsModel);
    say(`  ${one.phase}: ${one.stillMs.toFixed(0)} ms, memory ${one.memoryMs?.toFixed(0) ?? "kept"}`);
    returns.push(one);
  }
  return returns;
}
