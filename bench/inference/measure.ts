import { availableParallelism } from "node:os";
import { runnerThreads } from "../../main/supervisor/plan/parallelism.ts";
import { median } from "../support/statistics.ts";
import { Direct } from "./direct.ts";
import { startFarm } from "./farm.ts";
import type { InferenceFigures, SequenceFigures } from "./figures.ts";
import type { BenchModel } from "./model.ts";
import { likePrompts, unlikePrompts } from "./prompts.ts";

const sequenceCounts = [1, 2, 4];
/**
 * A multiple of every number of sequences, so that no sequence runs alone at the end. Large enough that a
 * round's start and end, about 20 ms each, do not matter.
 */
const jobs = 16;
const maxTokens = 96;
const likeJobs = 10;

export async function measureInference(
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

/** Both sides in turn, the same prompts on both; which goes first changes. */
async function measureSide(
  { file, manifest, contextTokens }: BenchModel,
  n: number,
  threads: number,
  rounds: number,
): Promise<SequenceFigures> {
  const farm = await startFarm({ manifest, threads, sequences: n });
  const direct = new Direct();
  try {
    const speeds = { farm: [] as number[], direct: [] as number[] };
    const ratios: number[] = [];
    const sides = {
      farm: (prompts: readonly string[]) =>
        farm.run(
          prompts.map((content) => [{ role: "user", content }]),
          maxTokens,
        ),
      direct: (prompts: readonly string[]) =>
        direct.run({ file, prompts, maxTokens, sequences: n, contextTokens, threads }),
    };
    // The first round loads the model and warms both sides' programs, and is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      const prompts = unlikePrompts(jobs, n * 100 + round);
      const speed = { farm: 0, direct: 0 };
      for (const side of round % 2 === 0 ? (["farm", "direct"] as const) : (["direct", "farm"] as const)) {
        const { tokens, seconds } = await sides[side](prompts);
        if (tokens !== prompts.length * maxTokens)
          throw new Error(`The ${side} side wrote ${tokens} tokens.`);
        speed[side] = tokens / seconds;
      }
      if (round === 0) continue;
      speeds.farm.push(speed.farm);
      speeds.direct.push(speed.direct);
      ratios.push(speed.farm / speed.direct);
    }
    const rounded = (value: number): number => Number(value.toPrecision(3));
    return {
      n,
      farm: rounded(median(speeds.farm)),
      direct: rounded(median(speeds.direct)),
      ratio: rounded(median(ratios)),
    };
  } finally {
    direct.stop();
    await farm.stop();
  }
}

async function measurePrefix({ manifest }: BenchModel, threads: number): Promise<number> {
  const farm = await startFarm({ manifest, threads, sequences: 1 });
  try {
    const { system, questions } = likePrompts(likeJobs);
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
