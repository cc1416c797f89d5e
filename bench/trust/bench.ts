import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { ChatRequest } from "../../app/jobs/chat.ts";
import { chat, demoModel } from "../../main/runner/runner.fixture.ts";
import { withFewerBits, withNoise } from "../../scripts/demo-model/gguf/altered-models.ts";
import type { Bench } from "../bench.ts";
import { makeModel } from "../inference/model.ts";
import { withScratch } from "../support/scratch.ts";
import { median, roundedNumbers } from "../support/statistics.ts";
import { alteredModel, type Answer, BenchRunner } from "./answers.ts";
import { honestKind, kindFigures, kindTable, type Sample } from "./figures.ts";

/** The demo model is sure of its answers. Only at a high temperature it writes tokens that a similar model would not. */
const temperatures = [0, 1, 1.5] as const;
const promptsFile = new URL("../../resources/demo-model/suggested-prompts.json", import.meta.url);
const words = [
  "lamp",
  "17",
  "}",
  "the",
  "of",
  "Oslo",
  "blue",
  "?",
  "is",
  "{",
  "Tuesday",
  "not",
  ",",
  "meeting",
];

export const trustBench: Bench = {
  summary: "replays of answers: how well they tell wrong ones from honest ones",
  run: (rounds, say) => withScratch((folder) => measure(folder, rounds, say)),
};

async function measure(
  folder: string,
  rounds: number,
  say: (line: string) => void,
): Promise<{ readonly json: object; readonly text: string }> {
  // At the lowest priority other programs could stop the measurement.
  process.env["GLEANER_TEST_PRIORITY"] = "normal";
  const model = await demoModel();
  const models: Readonly<Record<string, ModelFile>> = {
    "another model": await alteredModel(model, folder, "other", (file) => withNoise(file, 1)),
    "a similar model": await alteredModel(model, folder, "similar", (file) => withNoise(file, 0.3)),
    "4 bits": await alteredModel(model, folder, "4-bits", (file) => withFewerBits(file, 4)),
    "5 bits": await alteredModel(model, folder, "5-bits", (file) => withFewerBits(file, 5)),
    "6 bits": await alteredModel(model, folder, "6-bits", (file) => withFewerBits(file, 6)),
  };
  const prompts = await suggestedPrompts();
  const runner = new BenchRunner();
  const samples: Sample[] = [];
  try {
    for (const temperature of temperatures) {
      const requests = Array.from({ length: rounds }, (_, round) =>
        prompts.map((prompt, at) => chat(prompt, { temperature, seed: round * 1_000 + at, maxTokens: 160 })),
      ).flat();
      const add = async (kind: string, answers: readonly (Answer | null)[]): Promise<void> => {
        say(`temperature ${String(temperature)}: ${kind}`);
        const replays = [];
        for (const [at, answer] of answers.entries()) {
          const request = requests[at];
          if (answer === null || answer.text === "" || request === undefined) continue;
          replays.push((await runner.replay(model, request, answer)).replay);
        }
        samples.push({ kind, temperature, replays });
      };
      const honest = await answersOf(runner, model, requests);
      await add(honestKind, honest);
      await add(
        "random words",
        honest.map(({ text }, at) => ({ text: randomWords(text.length, at), finishReason: "length" })),
      );
      await add("another question's", [...honest.slice(1), ...honest.slice(0, 1)]);
      if (temperature > 0) {
        const reseeded = requests.map((request) => ({ ...request, seed: request.seed + 500 }));
        await add("another seed's", await answersOf(runner, model, reseeded));
      }
      await add(
        "cut in half",
        honest.map(({ text }) => ({ text: text.slice(0, Math.ceil(text.length / 2)), finishReason: "stop" })),
      );
      for (const [kind, file] of Object.entries(models))
        await add(kind, await answersOf(runner, file, requests));
    }
    const figures = kindFigures(samples);
    say("the cost of a replay");
    const costShare = await costShareOf(runner, folder, rounds);
    return {
      json: roundedNumbers({ roc: figures, costShare }),
      text: `${kindTable(figures)}\n\na replay took ${(100 * costShare).toFixed(0)} % of the time of its answer`,
    };
  } finally {
    await runner.stop();
  }
}

/** The time of replays as a share of that of their answers, on a model of a hundred million parameters: 300 tokens in, 150 out. */
async function costShareOf(runner: BenchRunner, folder: string, rounds: number): Promise<number> {
  const { file, contextTokens } = await makeModel(folder);
  const bytes = await readFile(file);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const model = { modelId: "bench", path: file, sha256, sizeBytes: bytes.length, contextTokens };
  const shares: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const request = chat(`${String(round)} ${"lamp ".repeat(60)}`.slice(0, 270), {
      maxTokens: 150,
      temperature: 1,
      seed: round,
    });
    const answer = await runner.answer(model, request);
    // A text of random weights has unusual tokenizations, each of which costs a step. So the replay reads a usual text of this length.
    const read = { text: "lamp river stone ".repeat(20).slice(0, 150), finishReason: "length" } as const;
    const { ms } = await runner.replay(model, request, read);
    // The first round loads the model, and warms up.
    if (round > 0) shares.push(ms / (answer.timing.prefillMs + answer.timing.generateMs));
  }
  return median(shares);
}

async function answersOf(runner: BenchRunner, model: ModelFile, requests: readonly ChatRequest[]) {
  const answers = [];
  for (const request of requests) answers.push(await runner.answer(model, request));
  return answers;
}

async function suggestedPrompts(): Promise<readonly string[]> {
  const all = JSON.parse(await readFile(promptsFile, "utf8")) as readonly { readonly prompt: string }[];
  return all.map(({ prompt }) => prompt);
}

/** As long as an answer. */
function randomWords(length: number, seed: number): string {
  let text = "";
  for (let at = seed; text.length < length; at += 1)
    text += `${words[(at * 7 + seed) % words.length] ?? ""} `;
  return text.slice(0, Math.max(1, length));
}
