import { availableParallelism } from "node:os";
import { rounded } from "../../app/contract/speed.ts";
import { runnerThreads } from "../../main/supervisor/plan/parallelism.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { repetitions } from "../support/repetitions.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { median } from "../support/statistics.ts";
import { Direct } from "./direct.ts";
import { startFarm } from "./farm.ts";
import { inferenceBars, type InferenceFigures, type SequenceFigures } from "./figures.ts";
import { type BenchModel, differentPrompts, makeModel, sharedPrefixPrompts } from "./model.ts";

const sequenceCounts = [1, 2, 4];
/**
 * Jobs of a round: a multiple of every number of sequences, so that no sequence runs alone at the end. Large
 * enough that a round's start and end, about 20 ms each, do not matter.
 */
const jobs = 12;
/** Jobs that load the model and warm up both sides. */
const warmUpJobs = 4;
const withinMs = 75_000;
const maxTokens = 96;
const sharedPrefixJobs = 10;

/** The share of llama.cpp's own speed that remains through the whole farm. */
export const inferenceBench: Bench = {
  summary:
    "tokens per second through the farm, compared with node-llama-cpp by itself; shared prompt prefixes",
  run: (rounds, say) =>
    withScratch(async (folder) => {
      say("writing a model of 100 million parameters");
      const model = await makeModel(folder);
      const figures = await measureInference(model, rounds, say);
      const { sequences, prefixSaved, threads, cores } = figures;
      const text = [
        tableRow(`tokens per second, ${threads} of ${cores} cores`, ["farm", "direct", "ratio"]),
        ...sequences.map(({ n, farm, direct, ratio }) =>
          tableRow(`${n} at once`, [farm, direct, ratio.toFixed(3)]),
        ),
        tableRow("share of prompt tokens not read again", [prefixSaved]),
        "",
        ...barLines(inferenceBars(figures)),
      ].join("\n");
      return { json: figures, text };
    }),
};

async function measureInference(
  model: BenchModel,
  rounds: number,
  say: (line: string) => void,
): Promise<InferenceFigures & { readonly threads: number; readonly cores: number }> {
  const threads = await runnerThreads();
  const sequences: SequenceFigures[] = [];
  for (const n of sequenceCounts) {
    say(`${n} at once, ${threads} of ${availableParallelism()} cores`);
    const figures = await measureSide(model, n, threads, rounds);
    say(`  farm ${figures.farm} tokens/s, direct ${figures.direct}`);
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

/** Measures both sides alternately with the same prompts. The order changes in each round. */
async function measureSide(
  { file, manifest, contextTokens }: BenchModel,
  n: number,
  threads: number,
  rounds: number,
): Promise<SequenceFigures> {
  const farm = await startFarm({ manifest, threads, sequences: n });
  const direct = new Direct();
  const sides = {
    farm: (prompts: readonly string[]) =>
      farm.run(
        prompts.map((content) => [{ role: "user", content }]),
        maxTokens,
      ),
    direct: (prompts: readonly string[]) =>
      direct.run({ file, prompts, maxTokens, sequences: n, contextTokens, threads }),
  };
  const speedsOf = async (round: number, count: number): Promise<{ farm: number; direct: number }> => {
    const prompts = differentPrompts(count, n * 100 + round);
    const speeds = { farm: 0, direct: 0 };
    for (const side of round % 2 === 0 ? (["farm", "direct"] as const) : (["direct", "farm"] as const)) {
      const { tokens, seconds } = await sides[side](prompts);
      if (tokens !== prompts.length * maxTokens) throw new Error(`The ${side} side wrote ${tokens} tokens.`);
      speeds[side] = tokens / seconds;
    }
    return speeds;
  };
  try {
    await speedsOf(rounds, warmUpJobs);
    const speeds: { farm: number; direct: number }[] = [];
    for (const round of repetitions(rounds, withinMs)) speeds.push(await speedsOf(round, jobs));
    return {
      n,
      farm: rounded(median(speeds.map(({ farm }) => farm))),
      direct: rounded(median(speeds.map(({ direct }) => direct))),
      ratio: rounded(median(speeds.map(({ farm, direct }) => farm / direct))),
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
