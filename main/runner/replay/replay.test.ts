import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelFile, RunnerWork, RunOutcome } from "../../../app/contract/runner.ts";
import { unseenTokens } from "../../../app/jobs/answers/text-check.ts";
import { packWritten, unpackWritten } from "../../../app/jobs/answers/written-tokens.ts";
import type { ChatRequest, ChatResult } from "../../../app/jobs/chat.ts";
import { unpackIds } from "../../../app/jobs/payload/token-ids.ts";
import type { AnswerFormat } from "../../../app/jobs/sampling.ts";
import { defaultLimits } from "../../../app/trust/honest-replays.ts";
import { overclaimOf } from "../../../app/trust/overclaim.ts";
import type { Replay, ReplayResult } from "../../../app/trust/replay.ts";
import { verdictOf } from "../../../app/trust/verdict.ts";
import { withFewerBits, withNoise } from "../../../scripts/demo-model/gguf/altered-models.ts";
import { decodeGguf, encodeGguf, type GgufFile } from "../../../scripts/demo-model/gguf/file.ts";
import { silentLog } from "../../log.ts";
import { forkRunner } from "../../supervisor/process/fork-runner.ts";
import { RunnerSupervisor } from "../../supervisor/supervisor.ts";
import { chat, demoModel, planOf, runnerEntry, testConfinement } from "../runner.fixture.ts";

let model: ModelFile;
let folder: string;
let supervisor: RunnerSupervisor;
let attempts = 0;

beforeAll(async () => {
  model = await demoModel();
  folder = await mkdtemp(join(tmpdir(), "gleaner-replay-"));
  supervisor = new RunnerSupervisor(() => forkRunner(runnerEntry)(testConfinement), silentLog);
});
afterAll(async () => {
  await supervisor.stop();
  await rm(folder, { recursive: true });
});

async function outcomeOf(work: RunnerWork, file = model): Promise<RunOutcome> {
  attempts += 1;
  const job = { attemptId: `r${String(attempts)}`, model: file, work, plan: planOf(file) };
  const outcome = await supervisor.run(job, {
    loaded: () => undefined,
    measured: () => undefined,
    text: () => undefined,
  });
  if (outcome.kind === "released") throw new Error("released");
  return outcome;
}

async function answer(request: ChatRequest, file = model): Promise<ChatResult> {
  const outcome = await outcomeOf({ kind: "chat", request }, file);
  if (outcome.kind !== "done" || !("text" in outcome.result)) throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

type Answered = Pick<ChatResult, "text" | "finishReason">;

/** An answer with the tokens that its device told. */
type Told = Answered & { readonly written: string };

async function replayedTold(request: ChatRequest, told: Told): Promise<ReplayResult> {
  const { text, finishReason, written } = told;
  const answered = { text, finishReason, written };
  const outcome = await outcomeOf({
    kind: "replay",
    request: { of: { kind: "chat", request }, answer: answered },
  });
  if (outcome.kind !== "done" || !("replay" in outcome.result)) throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

async function told(request: ChatRequest, file = model): Promise<Told & Pick<ChatResult, "usage">> {
  const { written, ...answered } = await answer(request, file);
  if (written === undefined) throw new Error("no tokens are told");
  return { ...answered, written };
}

async function replayed(request: ChatRequest, answered: Answered): Promise<Replay> {
  return (await replayResultOf(request, answered)).replay;
}

async function replayResultOf(request: ChatRequest, { text, finishReason }: Answered): Promise<ReplayResult> {
  const work = {
    kind: "replay",
    request: { of: { kind: "chat", request }, answer: { text, finishReason } },
  } as const;
  const outcome = await outcomeOf(work);
  if (outcome.kind !== "done" || !("replay" in outcome.result)) throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

/** A file with other weights, which the runner loads like any other. */
async function alteredModel(name: string, alter: (file: GgufFile) => GgufFile): Promise<ModelFile> {
  const bytes = encodeGguf(alter(decodeGguf(await readFile(model.path))));
  const path = join(folder, `${name}.gguf`);
  await writeFile(path, bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { ...model, modelId: name, path, sha256, sizeBytes: bytes.length };
}

/** The tokens of a text that is written letter by letter. */
async function lettersOf(text: string): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const letter of text) {
    const outcome = await outcomeOf({ kind: "tokens", request: { tokenize: letter, addSpecial: false } });
    if (outcome.kind !== "done" || !("tokenIds" in outcome.result)) throw new Error("no tokens");
    ids.push(...unpackIds(outcome.result));
  }
  return ids;
}

const weather = {
  name: "get_weather",
  description: "Returns the weather of a city.",
  parameters: JSON.stringify({
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  }),
};

const questions = [
  "What is the capital of Norway?",
  "Return JSON with name and city: Clara Novak moved to Lisbon last year.",
  "Tell me a story about a lamp and a river.",
  "Summarize: the meeting was moved to Tuesday because the room is being painted.",
];
/** Many tokens, of many possible ones. */
const free: Partial<ChatRequest> = { temperature: 1.3, maxTokens: 120 };

const samplings: readonly Partial<ChatRequest>[] = [
  {},
  { temperature: 1 },
  free,
  { ...free, topP: 0.8 },
  { ...free, topK: 5 },
  { ...free, minP: 0.1 },
  { ...free, topK: 40, topP: 0.9, minP: 0.05, seed: -12.5 },
  { ...free, repeatPenalty: 1.3, frequencyPenalty: 0.5, presencePenalty: 0.5 },
  { ...free, logitBias: [{ token: 300, bias: 3 }] },
  { ...free, stop: ["e "] },
  { ...free, logprobs: 2 },
];

const schemaOfPerson = JSON.stringify({
  type: "object",
  properties: {
    name: { type: "string" },
    age: { type: "integer" },
    tags: { type: "array", items: { enum: ["red", "green", "blue"] }, maxItems: 3 },
  },
  required: ["name", "age", "tags"],
  additionalProperties: false,
});
const formats: readonly AnswerFormat[] = [
  { kind: "json" },
  { kind: "json-schema", schema: schemaOfPerson },
  { kind: "json-schema", schema: '{"type":"string"}' },
  { kind: "grammar", grammar: 'root ::= [a-z ]+ "." | [A-Z] [a-z ,]+ "!"' },
];
const formatSamplings: readonly Partial<ChatRequest>[] = [
  {},
  { temperature: 0.7 },
  { temperature: 1 },
  { temperature: 1.5 },
  { temperature: 1, topP: 0.8 },
  { temperature: 1, topK: 20, minP: 0.05 },
  { temperature: 1, repeatPenalty: 1.2 },
  { temperature: 1, logitBias: [{ token: 300, bias: 3 }] },
  { temperature: 1, stop: ["e"] },
  { temperature: 1, logprobs: 2 },
];

describe("a replay on the demo model", () => {
  it.each(samplings)("finds the tokens of an honest answer, sampled with %o", async (sampling) => {
    for (const [seed, question] of questions.entries()) {
      const request = chat(question, { seed, ...sampling });
      const honest = await answer(request);
      if (honest.text === "") continue;
      const found = await replayed(request, honest);
      expect(found.misses).toBe(0);
      expect(found.regret / found.tokens).toBeLessThan(0.002);
      // The end counts here, or the tokens of a stop text there.
      expect(Math.abs(found.tokens - honest.usage.completionTokens)).toBeLessThanOrEqual(2);
      const ofTold = await replayedTold(request, await told(request));
      expect(ofTold.replay.misses).toBe(0);
      expect(ofTold.counted?.completionTokens).toBe(honest.usage.completionTokens);
    }
  });

  it("counts the tokens of any honest answer so that nobody is accused of reporting too many", async () => {
    const sampling = fc.record({
      seed: fc.nat(100_000),
      temperature: fc.constantFrom(0, 0.8, 1.3, 2),
      maxTokens: fc.integer({ min: 1, max: 80 }),
      stop: fc.constantFrom([], ["e "], [" the", "a"], ["zz", "."], ["\u{1F600}"]),
    });
    const others = fc.constantFrom<Partial<ChatRequest>>(
      {},
      { logprobs: 2 },
      { topK: 5 },
      { repeatPenalty: 1.3 },
      // Bytes of characters, most of which are broken, and control tokens.
      { logitBias: [3, 200, 203, 230].map((token) => ({ token, bias: 6 })) },
      { logitBias: [0, 1, 4].map((token) => ({ token, bias: 8 })) },
    );
    const prompts = fc.constantFrom(
      ...questions,
      "Grüße 😀😀 aus 東京 und Київ",
      "ｆｕｌｌ \u0301\u0301 a\tb\n\n",
    );
    await fc.assert(
      fc.asyncProperty(prompts, sampling, others, async (prompt, drawn, other) => {
        const request = chat(prompt, { ...drawn, ...other });
        const honest = await answer(request);
        if (honest.text === "") return;
        const { replay, counted } = await replayResultOf(request, honest);
        if (counted === undefined) throw new Error("not counted");
        const unseen = unseenTokens(honest, request);
        expect(counted.promptTokens).toBe(honest.usage.promptTokens);
        expect(overclaimOf(honest.usage, counted, replay, unseen)).toBeNull();
        const claimed = {
          ...honest.usage,
          completionTokens: 2 * honest.usage.completionTokens + unseen + 60,
        };
        expect(overclaimOf(claimed, counted, replay, unseen)).not.toBeNull();
      }),
      { numRuns: 100 },
    );
  });

  it("accuses no device of an answer that has no text, if the model writes none", async () => {
    let empty = 0;
    const drawn = fc.record({
      seed: fc.nat(100_000),
      temperature: fc.constantFrom(0, 0.8, 1.5),
      maxTokens: fc.constantFrom(3, 60),
      bias: fc.constantFrom<Partial<ChatRequest>>(
        // The likeliest beginnings of answers, one of them with a character of several tokens.
        { stop: ["T", "I", "{", "\u20ac"] },
        { stop: ["e"], logitBias: [{ token: 203, bias: 9 }] },
        // The end of an answer, and control tokens.
        { logitBias: [2, 3].map((token) => ({ token, bias: 12 })) },
        { logitBias: [0, 1].map((token) => ({ token, bias: 14 })) },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...questions), drawn, async (question, { bias, ...sampling }) => {
        const request = chat(question, { ...sampling, ...bias });
        const honest = await answer(request);
        if (honest.text !== "") return;
        const { replay, counted } = await replayResultOf(request, honest);
        expect([replay.tokens, replay.misses]).toEqual([1, 0]);
        expect(overclaimOf(honest.usage, counted!, replay, unseenTokens(honest, request))).toBeNull();
        empty += 1;
      }),
      { numRuns: 100 },
    );
    expect(empty).toBeGreaterThan(0);
  });

  it("finds answers without text odd if the model writes some", async () => {
    for (const question of questions) {
      for (const finishReason of ["stop", "length"] as const) {
        const request = chat(question, { stop: ["zzz"] });
        const found = await replayed(request, { text: "", finishReason });
        expect(found).toMatchObject({ tokens: 1, misses: 1 });
        expect(verdictOf(found, defaultLimits)).toBe("unclear");
      }
    }
  });

  it("finds the tokens of nearly all texts that the model tokenizes in an unusual way", async () => {
    const found: Replay[] = [];
    for (let seed = 0; seed < 40; seed += 1) {
      const request = chat(`What is ${String(seed)} * 7?`, { seed, temperature: 1.5, maxTokens: 60 });
      const honest = await answer(request);
      if (honest.text === "") continue;
      found.push(await replayed(request, honest));
    }
    // Processors round differently. On some of them a text of this temperature is read in another tokenization.
    const odd = found.filter((replay) => verdictOf(replay, defaultLimits) !== "fits");
    expect(odd.length).toBeLessThanOrEqual(found.length / 20);
    expect(found.filter(({ misses }) => misses === 0).length).toBeGreaterThan(found.length * 0.9);
  });

  it("accuses the answer to another seed, another question, noise, and an answer that was cut", async () => {
    const [question = "", other = ""] = questions.slice(2);
    const request = chat(question, { ...free, seed: 5 });
    const honest = await answer(request);
    const words = "lamp 17 } the of { ng Oslo ??".repeat(5);
    const wrong = {
      question: await answer(chat(other, { ...free, seed: 5 })),
      noise: { text: words, finishReason: "length" },
    } as const;
    for (const [kind, each] of Object.entries(wrong)) {
      const found = await replayed(request, each);
      expect([kind, found, verdictOf(found, defaultLimits)]).toEqual([kind, found, "mismatch"]);
    }
    // One of them may be the answer to both seeds.
    let ofOtherSeeds = 0;
    for (let seed = 6; seed < 14; seed += 1)
      ofOtherSeeds += (await replayed(request, await answer({ ...request, seed }))).misses;
    expect(ofOtherSeeds).toBeGreaterThan(10);
    // In the middle of a sentence, where the model does not end.
    const cut = { text: honest.text.slice(0, honest.text.lastIndexOf(" ")), finishReason: "stop" } as const;
    expect((await replayed(request, cut)).misses).toBeGreaterThan(0);
    expect(verdictOf(await replayed(request, honest), defaultLimits)).toBe("fits");
  });

  it("accuses another model, and finds a coarser quantization odd", async () => {
    const files = {
      other: await alteredModel("other", (file) => withNoise(file, 1)),
      coarse: await alteredModel("coarse", (file) => withFewerBits(file, 4)),
    };
    const regretOf = async (file: ModelFile): Promise<number> => {
      let [regret, tokens] = [0, 0];
      for (const [seed, question] of questions.entries()) {
        const request = chat(question, { ...free, seed });
        const found = await replayed(request, await answer(request, file));
        regret += found.regret;
        tokens += found.tokens;
      }
      return regret / tokens;
    };
    const [other, coarse, honest] = [
      await regretOf(files.other),
      await regretOf(files.coarse),
      await regretOf(model),
    ];
    expect(other).toBeGreaterThan(defaultLimits.meanRegret);
    expect(coarse).toBeGreaterThan(10 * honest);
    expect(other).toBeGreaterThan(coarse);
  });

  describe.each(formats)("of an answer in a format (%o)", (format) => {
    it.each(formatSamplings)("accuses no honest answer, sampled with %o", async (sampling) => {
      const found: Replay[] = [];
      for (const [seed, question] of questions.entries()) {
        const request = chat(question, { seed, maxTokens: 60, format, ...sampling });
        const honest = await answer(request);
        if (honest.text === "") continue;
        const { replay, counted } = await replayResultOf(request, honest);
        found.push(replay);
        expect([honest.text, replay, verdictOf(replay, defaultLimits)]).not.toContain("mismatch");
        expect(overclaimOf(honest.usage, counted!, replay, unseenTokens(honest, request))).toBeNull();
        const ofTold = await replayedTold(request, await told(request));
        expect([honest.text, verdictOf(ofTold.replay, defaultLimits)]).toEqual([honest.text, "fits"]);
        expect(ofTold.counted?.completionTokens).toBe(honest.usage.completionTokens);
      }
      const sum = (of: (replay: Replay) => number): number =>
        found.reduce((total, replay) => total + of(replay), 0);
      expect(sum(({ tokens }) => tokens)).toBeGreaterThan(0);
      // Processors round differently, so an unusual tokenization may be misread where the grammar demands unlikely tokens.
      expect(sum(({ misses }) => misses)).toBeLessThanOrEqual(1 + sum(({ tokens }) => tokens) / 50);
    });
  });

  it("accuses answers in a format of another model, of another question, and of none of the format", async () => {
    const other = await alteredModel("other-format", (file) => withNoise(file, 1));
    const format = { kind: "json" } as const;
    let accused = 0;
    for (const [seed, question] of questions.entries()) {
      const request = chat(question, { ...free, seed, maxTokens: 60, format });
      accused +=
        verdictOf(await replayed(request, await answer(request, other)), defaultLimits) === "mismatch"
          ? 1
          : 0;
    }
    expect(accused).toBeGreaterThanOrEqual(questions.length / 2);
    const request = chat(questions[1] ?? "", { ...free, seed: 3, maxTokens: 60, format });
    const elsewhere = await answer({
      ...request,
      ...chat(questions[2] ?? "", { ...free, format, maxTokens: 60 }),
    });
    expect((await replayed(request, elsewhere)).misses).toBeGreaterThan(0);
    const prose = await replayed(request, { text: "Clara lives in Lisbon.", finishReason: "stop" });
    expect(prose).toMatchObject({ tokens: 1, misses: 1, impossible: 1 });
  });

  it("tells nothing of an answer that its grammar forces", async () => {
    const format = { kind: "grammar", grammar: 'root ::= "The meeting is on Tuesday."' } as const;
    const request = chat("When is the meeting?", { ...free, format });
    const honest = await answer(request);
    expect(honest.text).toBe("The meeting is on Tuesday.");
    const { replay, counted } = await replayResultOf(request, honest);
    expect(replay.tokens).toBe(0);
    expect(counted?.completionTokens).toBeGreaterThan(3);
  });

  /** A name that a device has to write, as a grammar enforces it, or as only the check does. */
  const nameFormat = (pattern: string, name = "name"): AnswerFormat => ({
    kind: "json-schema",
    schema: JSON.stringify({
      type: "object",
      properties: { [name]: { type: "string", pattern } },
      required: [name],
      additionalProperties: false,
    }),
  });
  const [enforcedName, checkedName] = [nameFormat("^[A-M]"), nameFormat("^[A-M](?<=.)")];

  it("compares an answer that was written again with all tries", async () => {
    const format = checkedName;
    let answers = 0;
    for (let seed = 0; seed < 12; seed += 1) {
      const request = chat(questions[1] ?? "", { seed, temperature: 1.2, maxTokens: 40, format });
      const outcome = await outcomeOf({ kind: "chat", request });
      if (outcome.kind !== "done" || !("text" in outcome.result)) continue;
      answers += 1;
      const found = await replayed(request, outcome.result);
      expect([seed, found, verdictOf(found, defaultLimits)]).toEqual([seed, found, "fits"]);
    }
    expect(answers).toBeGreaterThan(3);
  });

  it("compares an answer that a grammar held to a pattern", async () => {
    for (let seed = 0; seed < 12; seed += 1) {
      const request = chat(questions[1] ?? "", {
        seed,
        temperature: 1.2,
        maxTokens: 40,
        format: enforcedName,
      });
      const found = await replayed(request, await answer(request));
      expect([seed, found, verdictOf(found, defaultLimits)]).toEqual([seed, found, "fits"]);
    }
  });

  describe("of an answer whose device told its tokens", () => {
    const question = questions[2] ?? "";
    const request = chat(question, { ...free, seed: 5 });
    const reread = async (told: Told): Promise<Replay> => (await replayedTold(request, told)).replay;

    it("reads the tokens that a text does not show", async () => {
      // Written by the demo model. Its text is tokenized in an unusual way, so each checker misread it.
      const asked = chat(
        "Summarise: It took about two hours. Groumupro Olsen bought a used van in Bergen yesterday. The street was quiet. The weather was mild that day.",
        { temperature: 1, seed: 1_616_833_708, maxTokens: 96, tools: [weather] },
      );
      const text = "\nCould you sock planted forty trees, repain@wood.";
      const honest = { text, finishReason: "stop", written: "PgX_O0ZwOwiBmf4exIohBzKlJ8KoQzI" } as const;
      expect(verdictOf(await replayed(asked, honest), defaultLimits)).toBe("mismatch");
      const { replay, counted } = await replayedTold(asked, honest);
      expect(replay).toMatchObject({ tokens: 16, misses: 0 });
      expect(counted?.completionTokens).toBe(15);
      // Nobody reads these tokens.
      const more = await replayedTold(asked, { ...honest, written: `${honest.written} gJ` });
      expect(verdictOf(more.replay, defaultLimits)).toBe("mismatch");
    });

    it("reads other tokens than those of the text as if none were told", async () => {
      const honest = await told(request);
      const other = await told(chat(questions[3] ?? "", { ...free, seed: 5 }));
      const [ids = []] = unpackWritten(honest.written) ?? [];
      expect(ids.length).toBeGreaterThan(20);
      const end = 2;
      const wrong: Readonly<Record<string, Told>> = {
        "the text of another answer": { ...other, written: honest.written },
        "the tokens of another answer": { ...honest, written: other.written },
        "shifted tokens": { ...honest, written: packWritten([ids.map((id) => id + 1)]) },
        "tokens of no model": { ...honest, written: packWritten([ids.map(() => 1_000_000)]) },
        "a token more": { ...honest, written: packWritten([[...ids, ids[0] ?? 0]]) },
        "a token fewer": { ...honest, written: packWritten([ids.slice(1)]) },
        "a part of the tokens in another passage": {
          ...honest,
          written: packWritten([ids.slice(0, 5), ids.slice(5)]),
        },
        "tokens after the end": { ...honest, written: packWritten([[...ids, end, end]]) },
        "more tokens than the context holds": {
          ...honest,
          written: packWritten([Array.from({ length: 20_000 }, () => 300)]),
        },
        "no form of tokens": { ...honest, written: "!" },
      };
      for (const [kind, each] of Object.entries(wrong)) {
        const found = await replayedTold(request, each);
        const { text, finishReason } = each;
        const { replay, counted } = await replayResultOf(request, { text, finishReason });
        expect([kind, found.counted, found.replay.misses]).toEqual([kind, counted, replay.misses]);
      }
      const lie = wrong["the text of another answer"];
      expect(lie === undefined ? null : verdictOf(await reread(lie), defaultLimits)).toBe("mismatch");
    });

    it("finds true tokens of another model, of another seed and of single letters odd", async () => {
      const other = await alteredModel("other-told", (file) => withNoise(file, 1));
      let [accused, misses] = [0, 0];
      for (const [seed, each] of questions.entries()) {
        const asked = chat(each, { ...free, seed });
        const { replay } = await replayedTold(asked, await told(asked, other));
        accused += verdictOf(replay, defaultLimits) === "mismatch" ? 1 : 0;
        misses += replay.misses;
      }
      expect([accused >= questions.length / 2, misses > 20]).toEqual([true, true]);
      let ofOtherSeeds = 0;
      for (let seed = 6; seed < 14; seed += 1)
        ofOtherSeeds += (await reread(await told({ ...request, seed }))).misses;
      expect(ofOtherSeeds).toBeGreaterThan(10);
      const honest = await told(request);
      const { text, finishReason } = honest;
      const letters = await lettersOf(text);
      const found = await replayedTold(request, { text, finishReason, written: packWritten([letters]) });
      expect(found.counted?.completionTokens).toBe(letters.length);
      expect(verdictOf(found.replay, defaultLimits)).toBe("mismatch");
    });

    describe("in a format that demands its words", () => {
      const words =
        "It is demanded by the grammar that this very long sentence is written, though no model would write a word of it, and ";
      const ruled = (grammar: string, seed: number, sampling: Partial<ChatRequest> = {}): ChatRequest =>
        chat(question, {
          temperature: 1,
          seed,
          maxTokens: 240,
          format: { kind: "grammar", grammar: `root ::= ${grammar}` },
          ...sampling,
        });
      const forced = `${words}${words}it ends.`;

      it("counts the tokens that an honest device split in an unusual way", async () => {
        let [counts, ofTexts] = [0, 0];
        const samplings: readonly Partial<ChatRequest>[] = [
          {},
          { temperature: 1.4, topP: 0.9 },
          { topK: 40, minP: 0.05 },
          { logprobs: 1 },
        ];
        for (const [seed, sampling] of samplings.entries()) {
          for (const grammar of [JSON.stringify(forced), `${JSON.stringify(words)} [A-Za-z ,.0-9]+`]) {
            const asked = ruled(grammar, seed, sampling);
            const { usage, ...answered } = await told(asked);
            const { replay, counted } = await replayedTold(asked, answered);
            expect([sampling, verdictOf(replay, defaultLimits)]).toEqual([sampling, "fits"]);
            expect(counted?.completionTokens).toBe(usage.completionTokens);
            counts += usage.completionTokens;
            ofTexts += (await replayResultOf(asked, answered)).counted?.completionTokens ?? 0;
          }
        }
        expect(counts).toBeGreaterThan(1.3 * ofTexts);
      });

      it("counts those of an answer that was written again, which fit no draws of the first try", async () => {
        let answers = 0;
        const format = nameFormat("^[D-Z](?<=.)", "a_very_long_name_that_no_model_would_write_by_itself");
        for (let seed = 8; seed < 16; seed += 1) {
          const asked = chat(questions[1] ?? "", { seed, temperature: 1.2, maxTokens: 80, format });
          const outcome = await outcomeOf({ kind: "chat", request: asked });
          if (outcome.kind !== "done" || !("text" in outcome.result)) continue;
          answers += 1;
          const { written = "", usage, ...answered } = outcome.result;
          const { replay, counted } = await replayedTold(asked, { ...answered, written });
          expect([seed, verdictOf(replay, defaultLimits)]).toEqual([seed, "fits"]);
          expect(counted?.completionTokens).toBe(usage.completionTokens);
        }
        expect(answers).toBeGreaterThan(3);
      });

      it("finds that a device told single letters to be paid for them", async () => {
        const letters = await lettersOf(forced);
        const written = packWritten([letters]);
        for (const sampling of [{}, { temperature: 0 }, { logprobs: 1 }, { seed: 2 ** 32 - 1 }]) {
          const asked = ruled(JSON.stringify(forced), 5, sampling);
          const lie = { text: forced, finishReason: "stop", written } as const;
          const { replay, counted } = await replayedTold(asked, lie);
          expect([sampling, counted]).toEqual([sampling, (await replayResultOf(asked, lie)).counted]);
          const { promptTokens } = counted!;
          const claimed = { promptTokens, completionTokens: letters.length };
          expect(overclaimOf(claimed, counted!, replay, 0)).not.toBeNull();
        }
      });

      it.each(["Thank you for your letter, dear friend: ", "Zq xj 0wv kz qqj vvx zzk wqx jkq zxv: "])(
        "compares the words that follow demanded ones, if those are told as single letters (%s)",
        async (start) => {
          const asked = ruled(`${JSON.stringify(start)} [A-Za-z ,.0-9]+`, 5, { maxTokens: 80 });
          const other = await told({ ...asked, messages: chat(questions[3] ?? "").messages, seed: 77 });
          const lie = { ...other, written: packWritten([await lettersOf(other.text)]) };
          expect(verdictOf((await replayedTold(asked, lie)).replay, defaultLimits)).toBe("mismatch");
        },
      );
    });

    it("finds an end odd that the model does not write", async () => {
      const honest = await told(request);
      const [ids = []] = unpackWritten(honest.written) ?? [];
      let misses = 0;
      for (const length of [4, 9, 14]) {
        const written = packWritten([ids.slice(0, length)]);
        const { text } = await told({ ...request, maxTokens: length });
        const found = await replayedTold(request, { text, finishReason: "stop", written });
        expect(found.replay.tokens).toBe(length + 1);
        misses += found.replay.misses;
      }
      expect(misses).toBe(3);
    });
  });

  it("computes vectors again, and accuses those of another model or of other texts", async () => {
    const other = await alteredModel("other-vectors", (file) => withNoise(file, 1));
    const request = { inputs: questions.slice(0, 2) };
    const vectorsOf = async (file: ModelFile): Promise<readonly string[]> => {
      const outcome = await outcomeOf({ kind: "embedding", request }, file);
      if (outcome.kind !== "done" || !("embeddings" in outcome.result)) throw new Error("no vectors");
      return outcome.result.embeddings;
    };
    const found = async (embeddings: readonly string[]): Promise<Replay> => {
      const of = { kind: "embedding", request } as const;
      const outcome = await outcomeOf({ kind: "replay", request: { of, answer: { embeddings } } });
      if (outcome.kind !== "done" || !("replay" in outcome.result)) throw new Error(JSON.stringify(outcome));
      expect(outcome.result.usage.promptTokens).toBeGreaterThan(5);
      return outcome.result.replay;
    };
    const honest = await vectorsOf(model);
    const fitting = await found(honest);
    expect(fitting.regret / fitting.tokens).toBeLessThan(0.0001);
    expect(verdictOf(fitting, defaultLimits)).toBe("fits");
    expect(verdictOf(await found(await vectorsOf(other)), defaultLimits)).toBe("mismatch");
    expect(verdictOf(await found(honest.toReversed()), defaultLimits)).toBe("mismatch");
  });

  it("refuses a prompt that does not fit the context", async () => {
    const request = chat("word ".repeat(4_000));
    const work = {
      kind: "replay",
      request: { of: { kind: "chat", request }, answer: { text: "yes", finishReason: "stop" } },
    } as const;
    expect(await outcomeOf(work)).toMatchObject({
      kind: "failed",
      error: { code: "context_length_exceeded" },
    });
  });

  it("ends soon after an abort", async () => {
    const request = chat("word ".repeat(300));
    const text = "a long answer ".repeat(200).slice(0, 2_000);
    const work = {
      kind: "replay",
      request: { of: { kind: "chat", request }, answer: { text, finishReason: "length" } },
    } as const;
    const outcome = outcomeOf(work);
    await supervisor.abort(`r${String(attempts)}`);
    expect(await outcome).toEqual({ kind: "aborted" });
  });
});
