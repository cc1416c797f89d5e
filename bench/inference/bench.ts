import { availableParallelism } from "node:os";
import { rounded } from "../../app/contract/speed.ts";
import { runnerThreads } from "../../main/supervisor/plan/parallelism.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { machineLine, machineNow } from "../support/machine.ts";
import { repetitions } from "../support/repetitions.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { median, quartiles, roundedNumbers } from "../support/statistics.ts";
import { Direct } from "./direct.ts";
import { startFarm } from "./farm.ts";
import { inferenceBars, type InferenceFigures, type SequenceFigures } from "./figures.ts";
import { type BenchModel, differentPrompts, makeModel, sharedPrefixPrompts } from "./model.ts";
import { type RoundSize, roundSize } from "./round-size.ts";

const sequenceCounts = [1, 2, 4];
/** All numbers of sequences and the shared prefixes share this time. */
const withinSeconds = 240;
/** The second warm-up tells the speed. The first also loads the model, and is the only one if it took this long. */
const warmUp = { jobs: 4, maxTokens: 24 };
const slowWarmUpSeconds = 8;
/** The shared prefixes: the start of a farm, and prompts as long as those of this many jobs of a warm-up. */
const prefixSeconds = 15;
const prefixWarmUps = 4;
const sharedPrefixJobs = 10;

/** The share of llama.cpp's own speed that remains through the whole farm. */
export const inferenceBench: Bench = {
  summary:
    "tokens per second through the farm, compared with node-llama-cpp by itself; shared prompt prefixes",
  run: (rounds, say) =>
    withScratch(async (folder) => {
      const startedAt = performance.now();
      const machine = roundedNumbers(machineNow());
      say("writing a model of 100 million parameters");
      const model = await makeModel(folder);
      const figures = await measureInference(model, rounds, startedAt, say);
      const { sequences, prefixSaved, threads, cores } = figures;
      const text = [
        machineLine(machine),
        tableRow(`tokens per second, ${threads} of ${cores} cores`, [
          "farm",
          "direct",
          "ratio",
          "quartiles",
          "rounds",
        ]),
        ...sequences.map(({ n, farm, direct, ratio, ratioQuartiles: [first, , third], pairs }) =>
          tableRow(`${n} at once`, [
            farm,
            direct,
            ratio.toFixed(3),
            `${first.toFixed(3)}–${third.toFixed(3)}`,
            pairs,
          ]),
        ),
        tableRow("share of prompt tokens not read again", [prefixSaved]),
        "",
        ...barLines(inferenceBars(figures)),
      ].join("\n");
      return { json: { ...figures, machine }, text };
    }),
};

async function measureInference(
  model: BenchModel,
  rounds: number,
  startedAt: number,
  say: (line: string) => void,
): Promise<InferenceFigures & { readonly threads: number; readonly cores: number }> {
  const threads = await runnerThreads();
  const sequences: SequenceFigures[] = [];
  for (const [index, n] of sequenceCounts.entries()) {
    say(`${n} at once, ${threads} of ${availableParallelism()} cores`);
    // A number of sequences gets an equal part of the time that is left now.
    const timeFor = (warmUpSeconds: number): number => {
      const left = withinSeconds - (performance.now() - startedAt) / 1_000;
      return (left - prefixSeconds - prefixWarmUps * warmUpSeconds) / (sequenceCounts.length - index);
    };
    const figures = await measureSide(model, n, threads, rounds, timeFor);
    say(
      `  farm ${figures.farm} tokens/s, direct ${figures.direct}, ${figures.pairs} rounds of ${figures.jobs} jobs`,
    );
    sequences.push(figures);
  }
  say("prompts that share 80 %");
  return {
    sequences,
    prefixSaved: await measurePrefix(model, threads),
    threads,
    cores: availableParallelism(),
  };
}

/** Times of the same round on both sides, in seconds. */
type Sides = { readonly farm: number; readonly direct: number };

/** Measures both sides alternately with the same prompts. The order changes in each round. */
async function measureSide(
  { file, manifest, contextTokens }: BenchModel,
  n: number,
  threads: number,
  rounds: number,
  timeFor: (warmUpSeconds: number) => number,
): Promise<SequenceFigures> {
  const farm = await startFarm({ manifest, threads, sequences: n });
  const direct = new Direct();
  const sides = {
    farm: (prompts: readonly string[], maxTokens: number) =>
      farm.run(
        prompts.map((content) => [{ role: "user", content }]),
        maxTokens,
      ),
    direct: (prompts: readonly string[], maxTokens: number) =>
      direct.run({ file, prompts, maxTokens, sequences: n, contextTokens, threads }),
  };
  const secondsOf = async (round: number, size: RoundSize): Promise<Sides> => {
    const prompts = differentPrompts(size.jobs, n * 100 + round);
    const took = { farm: 0, direct: 0 };
    for (const side of round % 2 === 0 ? (["farm", "direct"] as const) : (["direct", "farm"] as const)) {
      const { tokens, seconds } = await sides[side](prompts, size.maxTokens);
      if (tokens !== size.jobs * size.maxTokens) throw new Error(`The ${side} side wrote ${tokens} tokens.`);
      took[side] = seconds;
    }
    return took;
  };
  try {
    const first = await secondsOf(rounds, warmUp);
    // On a slow machine the load hardly counts, and time is short.
    const warm =
      Math.max(first.farm, first.direct) > slowWarmUpSeconds ? first : await secondsOf(rounds + 1, warmUp);
    const seconds = Math.max(warm.farm, warm.direct);
    const time = timeFor(seconds);
    const size = roundSize(time, { ...warmUp, seconds });
    const took: Sides[] = [];
    for (const round of repetitions(rounds, time * 1_000)) took.push(await secondsOf(round, size));
    const speed = (of: (each: Sides) => number): number =>
      rounded(median(took.map((each) => (size.jobs * size.maxTokens) / of(each))));
    const ratios = took.map((each) => each.direct / each.farm);
    return {
      n,
      farm: speed((each) => each.farm),
      direct: speed((each) => each.direct),
      ratio: rounded(median(ratios)),
      ratioQuartiles: roundedNumbers(quartiles(ratios)),
      pairs: took.length,
      jobs: size.jobs,
      maxTokens: size.maxTokens,
    };
  } finally {
    direct.stop();
    await farm.stop();
  }
}

async function measurePrefix({ manifest }: BenchModel, threads: number): Promise<number> {
  const farm = await startFarm({ manifest, threads, sequences: 1 });
  try {
    const { system, questions } = sharedPrefixPrompts(sharedPrefixJobs);
    const { promptTokens, cachedPromptTokens } = await farm.run(
      questions.map((content) => [
        { role: "system", content: system },
        { role: "user", content },
      ]),
      8,
    );
    return Number((cachedPromptTokens / promptTokens).toFixed(3));
  } finally {
    await farm.stop();
  }
}
