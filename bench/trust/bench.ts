import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { ChatRequest } from "../../app/jobs/chat.ts";
import type { AnswerFormat } from "../../app/jobs/sampling.ts";
import { chat, demoModel } from "../../main/runner/runner.fixture.ts";
import { withFewerBits, withNoise } from "../../scripts/demo-model/gguf/altered-models.ts";
import type { Bench } from "../bench.ts";
import { makeModel } from "../inference/model.ts";
import { withScratch } from "../support/scratch.ts";
import { median, roundedNumbers } from "../support/statistics.ts";
import { alteredModel, type Answer, BenchRunner, suggestedPrompts } from "./answers.ts";
import { honestKind, kindFigures, kindTable, type Sample } from "./figures.ts";
import { rocCurves } from "./roc.ts";

/** The demo model is sure of its answers. Only at a high temperature it writes tokens that a similar model would not. */
const temperatures = [0, 1, 1.5] as const;
/** Of the formats of requests. The demo model writes JSON, but none of its sentences has these names. */
const formats = [
  { kind: "json" },
  {
    kind: "json-schema",
    schema: JSON.stringify({
      type: "object",
      properties: {
        name: { type: "string" },
        city: { type: "string" },
        tags: { type: "array", items: { enum: ["red", "green", "blue"] }, maxItems: 3 },
      },
      required: ["name", "city", "tags"],
      additionalProperties: false,
    }),
  },
] as const satisfies readonly AnswerFormat[];
const formatTemperatures = [0, 1] as const;
/** Of the prompts. Such answers are longer, and replays of names that the model never writes take more steps. */
const promptsInFormat = 20;
/** Of a device, in the second set of curves. */
const answersTogether = 10;
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
  try {
    const samples: Sample[] = [];
    const inFormat: Sample[] = [];
    for (const temperature of temperatures)
      samples.push(
        ...(await samplesAt(runner, model, models, requestsOf(prompts, rounds, { temperature }), say)),
      );
    for (const temperature of formatTemperatures)
      for (const format of formats)
        inFormat.push(
          ...(await samplesAt(
            runner,
            model,
            models,
            requestsOf(prompts.slice(0, promptsInFormat), rounds, { temperature, format }),
            say,
          )),
        );
    const figures = kindFigures(samples);
    const ofFormats = kindFigures(merged(inFormat));
    const curves = [1, answersTogether].flatMap((together) => rocCurves(samples, together));
    say("the cost of a replay");
    const costShare = await costShareOf(runner, folder, rounds);
    return {
      json: roundedNumbers({ roc: figures, inFormat: ofFormats, curves, costShare }),
      text: `${kindTable(figures)}\n\nanswers in a format:\n\n${kindTable(ofFormats)}\n\na replay took ${(100 * costShare).toFixed(0)} % of the time of its answer`,
    };
  } finally {
    await runner.stop();
  }
}

function requestsOf(
  prompts: readonly string[],
  rounds: number,
  changed: Partial<ChatRequest>,
): readonly ChatRequest[] {
  return Array.from({ length: rounds }, (_, round) =>
    prompts.map((prompt, at) => chat(prompt, { seed: round * 1_000 + at, maxTokens: 160, ...changed })),
  ).flat();
}

/** Honest answers to these requests, and wrong ones of several kinds, all replayed on the model. */
async function samplesAt(
  runner: BenchRunner,
  model: ModelFile,
  models: Readonly<Record<string, ModelFile>>,
  requests: readonly ChatRequest[],
  say: (line: string) => void,
): Promise<readonly Sample[]> {
  const [{ temperature, format } = chat("")] = requests;
  const samples: Sample[] = [];
  const add = async (kind: string, answers: readonly (Answer | null)[]): Promise<void> => {
    say(`temperature ${String(temperature)}${format === undefined ? "" : `, ${format.kind}`}: ${kind}`);
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
  // No device can pass on an answer that is not in the format.
  if (format === undefined) {
    await add(
      "random words",
      honest.map(({ text }, at) => ({ text: randomWords(text.length, at), finishReason: "length" })),
    );
  }
  await add("another question's", [...honest.slice(1), ...honest.slice(0, 1)]);
  if (temperature > 0) {
    const reseeded = requests.map((request) => ({ ...request, seed: request.seed + 500 }));
    await add("another seed's", await answersOf(runner, model, reseeded));
  }
  if (format === undefined) {
    await add(
      "cut in half",
      honest.map(({ text }) => ({ text: text.slice(0, Math.ceil(text.length / 2)), finishReason: "stop" })),
    );
  }
  for (const [kind, file] of Object.entries(models)) await add(kind, await answersOf(runner, file, requests));
  return samples;
}

/** One sample of each kind and temperature. */
function merged(samples: readonly Sample[]): readonly Sample[] {
  const found = new Map<string, Sample>();
  for (const sample of samples) {
    const name = `${String(sample.temperature)} ${sample.kind}`;
    const before = found.get(name)?.replays ?? [];
    found.set(name, { ...sample, replays: [...before, ...sample.replays] });
  }
  return [...found.values()];
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

/** As long as an answer. */
function randomWords(length: number, seed: number): string {
  let text = "";
  for (let at = seed; text.length < length; at += 1)
    text += `${words[(at * 7 + seed) % words.length] ?? ""} `;
  return text.slice(0, Math.max(1, length));
}
