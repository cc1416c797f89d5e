import { cp, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { ChatRequest } from "../../app/jobs/chat.ts";
import { chat, demoModel, runnerEntry, testConfinement } from "../../main/runner/runner.fixture.ts";
import { forkRunner } from "../../main/supervisor/process/fork-runner.ts";
import type { SpawnRunner } from "../../main/supervisor/process/runner-child.ts";
import type { Bench } from "../bench.ts";
import { withScratch } from "../support/scratch.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { type Answer, BenchRunner, suggestedPrompts } from "./answers.ts";
import { packageName, packageVariable } from "./library-package.ts";
import { pairFigures, type PairSample, pairTable } from "./processor-figures.ts";

/** llama.cpp's libraries for processors, from the oldest, with the instructions that each adds. */
const libraries = {
  x64: "SSE2",
  sse42: "SSE 4.2",
  sandybridge: "AVX",
  haswell: "AVX2",
  skylakex: "AVX-512",
  icelake: "AVX-512 VNNI",
  alderlake: "AVX-VNNI",
  zen4: "AVX-512 BF16",
  sapphirerapids: "AMX",
} as const;
type Library = keyof typeof libraries;
const names = Object.keys(libraries) as readonly Library[];

const temperatures = [0, 1, 1.5] as const;
/** Questions of a round, at each temperature. */
const promptsPerRound = 20;
const sideBySide = 4;

export const processorsBench: Bench = {
  summary: "honest answers, replayed with the instructions of other processors",
  run: (rounds, say) => withScratch((folder) => measure(folder, rounds, say)),
};

/** A way to compute: the same model and program, and other instructions or batches. */
type Way = {
  readonly name: string;
  readonly runner: BenchRunner;
  /** Answers that it writes side by side. Only one that writes one at a time checks, too. */
  readonly atOnce: number;
};

async function measure(
  folder: string,
  rounds: number,
  say: (line: string) => void,
): Promise<{ readonly json: object; readonly text: string }> {
  if (process.platform !== "linux") throw new Error("This benchmark needs Linux.");
  process.env["GLEANER_TEST_PRIORITY"] = "normal";
  const model = await demoModel();
  const requests = await requestsOf(rounds);
  const ways: Way[] = [];
  try {
    for (const library of names) {
      const way = await wayWith(folder, library, model);
      if (way === null) say(`this processor lacks ${libraries[library]}`);
      else ways.push(way);
    }
    if (ways.length < 2) throw new Error("This processor has the instructions of one library only.");
    const beside = new BenchRunner({ plan: { sequences: sideBySide } });
    ways.push({ name: "four at once", runner: beside, atOnce: sideBySide });
    const samples = await samplesOf(ways, model, requests, say);
    const figures = pairFigures(samples);
    return { json: roundedNumbers(figures), text: pairTable(figures) };
  } finally {
    for (const { runner } of ways) await runner.stop();
  }
}

/** Every honest answer, replayed with each library. */
async function samplesOf(
  ways: readonly Way[],
  model: ModelFile,
  requests: readonly ChatRequest[],
  say: (line: string) => void,
): Promise<readonly PairSample[]> {
  const samples: PairSample[] = [];
  let first: readonly Answer[] | null = null;
  for (const way of ways) {
    const answers = await answersOf(way, model, requests);
    const same: readonly Answer[] = first ?? answers;
    first = same;
    for (const checker of ways.filter(({ atOnce }) => atOnce === 1)) {
      say(`answered: ${way.name}, checked: ${checker.name}`);
      const replays = [];
      for (const [at, request] of requests.entries()) {
        const answer = answers[at];
        if (answer === undefined || answer.text === "") continue;
        replays.push((await checker.runner.replay(model, request, answer)).replay);
      }
      const sameTexts = answers.filter(({ text }, at) => text === same[at]?.text).length;
      samples.push({ answered: way.name, checked: checker.name, sameTexts, replays });
    }
  }
  return samples;
}

async function answersOf(
  { runner, atOnce }: Way,
  model: ModelFile,
  requests: readonly ChatRequest[],
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < requests.length; at += atOnce) {
    const some = requests.slice(at, at + atOnce);
    answers.push(...(await Promise.all(some.map((request) => runner.answer(model, request)))));
  }
  return answers;
}

async function requestsOf(rounds: number): Promise<readonly ChatRequest[]> {
  const prompts = await suggestedPrompts();
  return temperatures.flatMap((temperature) =>
    Array.from({ length: rounds * promptsPerRound }, (_, at) =>
      chat(prompts[at % prompts.length] ?? "", { seed: at, maxTokens: 160, temperature }),
    ),
  );
}

/** A runner that loads only this library; null if the processor lacks its instructions. */
async function wayWith(folder: string, library: Library, model: ModelFile): Promise<Way | null> {
  const own = await packageWith(folder, library);
  let pid: number | undefined;
  const spawn: SpawnRunner = () => {
    const child = forkRunner(runnerEntry)({
      ...testConfinement,
      NODE_OPTIONS: `--import=${import.meta.resolve("./library-package.ts")}`,
      [packageVariable]: own,
    });
    ({ pid } = child);
    return child;
  };
  const runner = new BenchRunner({ spawn });
  try {
    const isAble = await runner.answer(model, chat("Hi", { maxTokens: 1 })).then(
      () => true,
      () => false,
    );
    const mapped = isAble ? await readFile(`/proc/${String(pid)}/maps`, "utf8") : "";
    if (mapped.includes(join(own, "bins")))
      return { name: `${library} (${libraries[library]})`, runner, atOnce: 1 };
    if (isAble) throw new Error(`The runner did not load ${library}.`);
  } catch (error) {
    await runner.stop();
    throw error;
  }
  await runner.stop();
  return null;
}

/** A copy of llama.cpp's package in which only one library for processors is left. */
async function packageWith(folder: string, library: Library): Promise<string> {
  const root = join(dirname(fileURLToPath(import.meta.resolve(packageName))), "..");
  const own = join(folder, library);
  const isOther = (path: string): boolean =>
    basename(path).startsWith("libggml-cpu-") && basename(path) !== `libggml-cpu-${library}.so`;
  await cp(root, own, { recursive: true, filter: (path) => !isOther(path) });
  return own;
}
