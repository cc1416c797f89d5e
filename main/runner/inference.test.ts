import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LoadPlan, ModelFile } from "../../app/contract/runner.ts";
import { textMistake } from "../../app/jobs/answers/text-check.ts";
import { mostControlTokens } from "../../app/jobs/answers/usage-check.ts";
import type { ChatRequest, ChatResult } from "../../app/jobs/chat.ts";
import { extentOf, mostPromptTokens } from "../../app/jobs/extent.ts";
import type { Sampling, TokenChoice } from "../../app/jobs/sampling.ts";
import { parseSchema } from "../../app/jobs/schema/json-schema.ts";
import type { Work, WorkResult } from "../../app/jobs/work.ts";
import { silentLog } from "../log.ts";
import { forkRunner } from "../supervisor/process/fork-runner.ts";
import { RunnerSupervisor } from "../supervisor/supervisor.ts";
import { grammarOf } from "./generate/grammars.ts";
import { chat, demoModel, planOf, runnerEntry, testConfinement } from "./runner.fixture.ts";

let model: ModelFile;
let supervisor: RunnerSupervisor;
let attempts = 0;

beforeAll(async () => {
  model = await demoModel();
  supervisor = new RunnerSupervisor(() => forkRunner(runnerEntry)(testConfinement), silentLog);
});
afterAll(() => supervisor.stop());

async function run(work: Work, file = model, changed: Partial<LoadPlan> = {}): Promise<WorkResult> {
  let text = "";
  const tokens: TokenChoice[] = [];
  attempts += 1;
  const job = { attemptId: `f${attempts}`, model: file, work, plan: planOf(file, changed) };
  const outcome = await supervisor.run(job, {
    loaded: () => undefined,
    measured: () => undefined,
    text: (piece) => {
      text += piece.text;
      tokens.push(...piece.items.flatMap((item) => ("token" in item ? [item.token] : [])));
    },
  });
  if (outcome.kind !== "done" || "replay" in outcome.result) throw new Error(JSON.stringify(outcome));
  if ("text" in outcome.result) {
    expect(outcome.result.text).toBe(text);
    expect(tokens).toEqual(outcome.result.logprobs ?? []);
    expect(mistakeOf(outcome.result, work, file)).toBeNull();
  }
  return outcome.result;
}

/** The mistake that the backend would find in the answer. */
function mistakeOf(result: ChatResult, work: Work, { contextTokens }: ModelFile): string | null {
  if (work.kind === "embedding" || work.kind === "tokens") return "text for other work";
  const promptTokens = mostPromptTokens(extentOf(work, { contextTokens }));
  return textMistake(result, {
    request: asStored(work.request),
    promptTokens,
    contextTokens,
    heldMs: 600_000,
  });
}

/** The request as the backend stores it: with parsed schemas. */
function asStored<Request extends Sampling & Pick<ChatRequest, "tools">>(request: Request): Request {
  const stored = (schema: string): string => {
    const parsed = parseSchema(JSON.parse(schema), { checked: true });
    return JSON.stringify(parsed.kind === "ok" ? parsed.schema : {});
  };
  const { format, tools } = request;
  return {
    ...request,
    ...(format?.kind === "json-schema" ? { format: { ...format, schema: stored(format.schema) } } : {}),
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ parameters, ...tool }) =>
            parameters === undefined ? tool : { ...tool, parameters: stored(parameters) },
          ),
        }),
  };
}

async function answer(content: string, options: Partial<ChatRequest> = {}): Promise<ChatResult> {
  return (await run({ kind: "chat", request: chat(content, options) })) as ChatResult;
}

const norway = "What is the capital of Norway?";
const clara = "Return JSON with name and city: Clara Novak moved to Lisbon last year.";

describe("on the demo model, the runner", () => {
  it("continues a text without a template", async () => {
    const request = {
      prompt: "The capital of Norway is",
      maxTokens: 3,
      temperature: 0,
      topP: 1,
      seed: 1,
      stop: [],
    };
    expect(await run({ kind: "completion", request })).toMatchObject({
      text: " Oslo",
      usage: { completionTokens: 3 },
    });
  });

  it("gives answers that the backend accepts, whatever was asked", async () => {
    const schema = JSON.stringify({
      type: "object",
      properties: { a: { type: "string", maxLength: 20 }, b: { enum: [1, 2] } },
      additionalProperties: { type: "integer" },
    });
    const words = JSON.stringify({ type: "array", items: { enum: ["🐦ä\n", "ﷺ", 12.5, null] } });
    const tools = [{ name: "weather", parameters: schema }, { name: "clock" }];
    const asks: readonly Partial<ChatRequest>[] = [
      {},
      { temperature: 2 },
      { temperature: 2, maxTokens: 1 },
      { temperature: 2, stop: ["e", " the"] },
      { temperature: 1.5, logprobs: 3 },
      { temperature: 2, format: { kind: "json" } },
      { temperature: 2, maxTokens: 200, format: { kind: "json-schema", schema } },
      ...[1, 2, 3, 5, 8, 13, 21].flatMap((maxTokens) => [
        { temperature: 2, maxTokens, format: { kind: "json-schema", schema } as const, logprobs: 1 },
        { temperature: 2, maxTokens, format: { kind: "json-schema", schema: words } as const },
        { temperature: 2, maxTokens, format: { kind: "json" } as const, stop: ['"', "e", "\n"] },
        { temperature: 2, maxTokens, tools, toolChoice: { name: "weather" } },
        { temperature: 2, maxTokens, logprobs: 2, topK: 0 },
      ]),
      { temperature: 2, format: { kind: "json-schema", schema }, stop: ["a", "}"], logprobs: 0 },
      { temperature: 2, logprobs: 0, stop: ["e", "🐦"] },
      { temperature: 1.5, maxTokens: 200, tools },
      ...[1, 2, 3, 5, 8, 200].flatMap((maxTokens) => [
        { temperature: 2, maxTokens, tools, format: { kind: "json-schema", schema } as const, logprobs: 1 },
        { temperature: 2, maxTokens, tools, format: { kind: "json" } as const, stop: ['"', "e"] },
      ]),
      { temperature: 1.5, maxTokens: 200, tools, toolChoice: "required" },
      { temperature: 2, maxTokens: 5, tools, toolChoice: { name: "weather" } },
      { temperature: 2, logitBias: [{ token: 5, bias: 100 }] },
    ];
    for (const asked of asks) {
      for (const seed of [1, 2, 3]) {
        for (const content of ["", norway, "Grüße an 🐦 und ﷺ"]) await answer(content, { ...asked, seed });
      }
    }
  });

  it("reports the log probability of each token of a character, and of one that was cut", async () => {
    const format = { kind: "grammar", grammar: 'root ::= "🐦ﷺ ä🐦"' } as const;
    const whole = await answer(norway, { format, logprobs: 1 });
    const tokens = whole.logprobs?.map(({ token }) => token) ?? [];
    expect(tokens.join("")).toBe("🐦ﷺ ä🐦");
    expect(tokens.length).toBeGreaterThan(5);
    for (let maxTokens = 1; maxTokens < tokens.length; maxTokens += 1) {
      const cut = await answer(norway, { format, logprobs: 1, maxTokens });
      expect(cut.logprobs?.map(({ token }) => token).join("")).toBe(cut.text);
      expect(cut.logprobs).toHaveLength(maxTokens);
    }
  });

  it("computes vectors of length 1, equal for equal texts", async () => {
    const inputs = ["the harbor in Oslo", "the harbor in Oslo", "9 * 7 = 63"];
    const result = await run({ kind: "embedding", request: { inputs } });
    if (!("embeddings" in result)) throw new Error("no vectors");
    const [first, second, third] = result.embeddings.map((packed) => {
      const bytes = Buffer.from(packed, "base64");
      return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
    });
    const product = (a: readonly number[] = [], b: readonly number[] = []): number =>
      a.reduce((sum, each, index) => sum + each * (b[index] ?? 0), 0);
    expect(first).toHaveLength(128);
    expect(product(first, first)).toBeCloseTo(1, 4);
    expect(product(first, second)).toBeCloseTo(1, 4);
    expect(product(first, third)).toBeLessThan(0.9);
    expect(result.usage.promptTokens).toBeGreaterThan(6);
    const again = await run({ kind: "embedding", request: { inputs, dimensions: 128 } });
    expect(again).toMatchObject({ embeddings: result.embeddings });
    await expect(run({ kind: "embedding", request: { inputs, dimensions: 64 } })).rejects.toThrow(
      /"wrong_dimensions"/,
    );
  });

  it("gives the tokens of a text, and other requests take them in its place", async () => {
    const text = "The capital of Norway is";
    const found = await run({ kind: "tokens", request: { tokenize: text, addSpecial: true } });
    if (!("tokenIds" in found)) throw new Error("no tokens");
    const { tokenIds, usage } = found;
    const prompt = { tokenIds };
    const sampling = { maxTokens: 3, temperature: 0, topP: 1, seed: 1, stop: [] };
    const byText = await run({ kind: "completion", request: { ...sampling, prompt: text } });
    const byIds = await run({ kind: "completion", request: { ...sampling, prompt } });
    expect(byIds).toMatchObject({ text: " Oslo", usage: { promptTokens: usage.promptTokens } });
    expect(byText.usage.promptTokens).toBe(usage.promptTokens);
    const inputs = [text, { tokenIds }];
    const vectors = await run({ kind: "embedding", request: { inputs } });
    if (!("embeddings" in vectors)) throw new Error("no vectors");
    expect(vectors.embeddings[0]).toBe(vectors.embeddings[1]);
    const other = { tokenIds: "9999999" };
    await expect(run({ kind: "completion", request: { ...sampling, prompt: other } })).rejects.toThrow(
      /"wrong_tokens"/,
    );
    await expect(run({ kind: "embedding", request: { inputs: [other] } })).rejects.toThrow(/"wrong_tokens"/);
  });

  it("gives as many tokens of a chat as its prompt has", async () => {
    const { messages } = chat(norway);
    const found = await run({ kind: "tokens", request: { tokenizeChat: { messages } } });
    const { usage } = await answer(norway);
    expect(found.usage.promptTokens).toBe(usage.promptTokens);
  });

  it("computes vectors of texts up to the length that the spare memory allows", async () => {
    // Another number of sequences forces another load, with its own spare memory.
    const embedding = (input: string, spareMb: number, sequences: number) =>
      run({ kind: "embedding", request: { inputs: [input] } }, model, {
        sequences,
        spareBytes: spareMb * 2 ** 20,
      });
    const long = "the harbor in Oslo ".repeat(90);
    await expect(embedding("Oslo", 0, 1)).rejects.toThrow("out_of_memory");
    expect(await embedding("Oslo", 7, 2)).toHaveProperty("embeddings");
    await expect(embedding(long, 7, 2)).rejects.toThrow("context_too_small");
    const { usage } = await embedding(long, 100, 1);
    expect(usage.promptTokens).toBeGreaterThan(512);
  });

  it("leaves a job to a device with more memory, unless no memory would do", async () => {
    const asked = async (words: number, maxTokens: number) => {
      const request = chat("9 ".repeat(words), { maxTokens });
      return await run({ kind: "chat", request }, model, { contextTokens: 256 });
    };
    const { usage } = await asked(20, 8);
    expect(usage.promptTokens).toBeLessThan(248);
    // The answer or the prompt could need more than these 256 tokens.
    await expect(asked(20, 256)).rejects.toThrow("context_too_small");
    await expect(asked(300, 8)).rejects.toThrow("context_too_small");
    await expect(asked(5_000, 8)).rejects.toThrow("context_length_exceeded");
  });

  it("refuses a text that fills the whole context", async () => {
    const embedding = (words: number) =>
      run({ kind: "embedding", request: { inputs: ["9 ".repeat(words)] } }, { ...model, contextTokens: 512 });
    const { usage } = await embedding(100);
    const twice = await embedding(200);
    const perWord = (twice.usage.promptTokens - usage.promptTokens) / 100;
    const words = 100 + Math.ceil((512 - usage.promptTokens) / perWord);
    await expect(embedding(words)).rejects.toThrow("context_length_exceeded");
    expect((await embedding(words - 1)).usage.promptTokens).toBeGreaterThanOrEqual(512 - perWord - 1);
  });

  it("restricts an answer to JSON, and stops at its end", async () => {
    const { text, finishReason } = await answer(clara, { format: { kind: "json" } });
    expect(JSON.parse(text)).toEqual({ name: "Clara Novak", city: "Lisbon" });
    expect(finishReason).toBe("stop");
  });

  it("restricts an answer to a schema that the model would not follow by itself", async () => {
    const schema = {
      type: "object",
      properties: {
        city: { enum: ["Porto", "Lisbon"] },
        count: { type: "integer" },
        at: { $ref: "#/$defs/place" },
      },
      $defs: { place: { type: "array", items: { type: "boolean" }, minItems: 2, maxItems: 2 } },
    };
    const { text } = await answer(clara, { format: { kind: "json-schema", schema: JSON.stringify(schema) } });
    const value = JSON.parse(text) as { city: string; count: number; at: boolean[] };
    expect(Object.keys(value)).toEqual(["city", "count", "at"]);
    expect(["Porto", "Lisbon"]).toContain(value.city);
    expect(Number.isInteger(value.count)).toBe(true);
    expect(value.at.map((each) => typeof each)).toEqual(["boolean", "boolean"]);
  });

  it("writes an answer again if it breaks a rule of its schema that no grammar enforces", async () => {
    const pair = { type: "array", items: { type: "boolean" }, minItems: 2, maxItems: 2 };
    const schemaOf = (all: object): string => JSON.stringify({ type: "object", properties: { all } });
    const pairOf = async (all: object, seed: number): Promise<readonly boolean[] | null> => {
      const format = { kind: "json-schema", schema: schemaOf(all) } as const;
      try {
        const { text } = await answer("Say two.", { format, seed, temperature: 1 });
        return (JSON.parse(text) as { all: boolean[] }).all;
      } catch (error) {
        expect(String(error)).toContain('"schema_not_met"');
        return null;
      }
    };
    let mended = 0;
    for (let seed = 1; seed <= 12; seed += 1) {
      const first = await pairOf(pair, seed);
      const checked = await pairOf({ ...pair, uniqueItems: true }, seed);
      if (new Set(first).size === 2) expect(checked).toEqual(first);
      else if (checked !== null) mended += 1;
      if (checked !== null) expect(new Set(checked).size).toBe(2);
    }
    expect(mended).toBeGreaterThan(0);
  });

  it("gives up after a few answers that break such a rule, also in a tool call", async () => {
    const never = JSON.stringify({
      type: "object",
      properties: { a: { type: "string", pattern: "^never said$", maxLength: 5 } },
    });
    const asks: readonly Partial<ChatRequest>[] = [
      { format: { kind: "json-schema", schema: never } },
      { tools: [{ name: "f", parameters: never }], toolChoice: "required" },
    ];
    for (const asked of asks) await expect(answer(norway, asked)).rejects.toThrow(/"schema_not_met"/);
    // Nobody asked it to follow the schema, or it was cut.
    expect(await answer(norway, { ...asks[1], toolChoice: "none" })).toMatchObject({ finishReason: "stop" });
    expect(await answer(norway, { ...asks[0], maxTokens: 2 })).toMatchObject({ finishReason: "length" });
  });

  it("restricts an answer to a grammar", async () => {
    const grammar = 'root ::= city "!"\ncity ::= "Bergen" | "Oslo" # the two';
    expect(await answer(norway, { format: { kind: "grammar", grammar } })).toMatchObject({ text: "Oslo!" });
  });

  it.each(["<|im_end|>", "a <|im_end|> b", "<|im_start|>user\n<|im_end|>\n", "<s></s><unk>"])(
    "writes %j whole where a schema, a grammar or a tool forces it",
    async (text) => {
      const grammar = `root ::= ${JSON.stringify(text)} "!"`;
      const forced = await answer(norway, { format: { kind: "grammar", grammar }, logprobs: 0 });
      expect(forced).toMatchObject({ text: `${text}!`, finishReason: "stop" });
      expect(forced.logprobs?.map(({ token }) => token).join("")).toBe(`${text}!`);
      const schema = JSON.stringify({ type: "object", properties: { [text]: { enum: [text] } } });
      const object = await answer(clara, { format: { kind: "json-schema", schema } });
      expect(JSON.parse(object.text)).toEqual({ [text]: text });
      const tools = [{ name: "tell", parameters: schema }];
      const { toolCalls = [] } = await answer(norway, { tools, toolChoice: "required" });
      expect(JSON.parse(toolCalls[0]?.arguments ?? "")).toEqual({ [text]: text });
    },
  );

  it("writes control words whole where the grammar of a completion forces them", async () => {
    const text = "a <|im_end|> b</s>";
    const format = { kind: "grammar", grammar: `root ::= ${JSON.stringify(text)} "!"` } as const;
    const { temperature, topP, seed, maxTokens, stop } = chat("");
    const request = { prompt: "Once", temperature, topP, seed, maxTokens, stop, format };
    expect(await run({ kind: "completion", request })).toMatchObject({
      text: `${text}!`,
      finishReason: "stop",
    });
  });

  it("does not cut the arguments of a tool call at a stop string, but cuts JSON there", async () => {
    const text = "STOP here";
    const schema = JSON.stringify({ type: "object", properties: { word: { enum: [text] } } });
    const tools = [{ name: "tell", parameters: schema }];
    const stop = ["STOP"];
    const { toolCalls = [], stopText } = await answer(norway, { tools, toolChoice: "required", stop });
    expect(stopText).toBeUndefined();
    expect(JSON.parse(toolCalls[0]?.arguments ?? "")).toEqual({ word: text });
    const cut = await answer(norway, { format: { kind: "json-schema", schema }, stop });
    expect(cut).toMatchObject({ finishReason: "stop", stopText: "STOP" });
    expect(cut.text).toMatch(/"word":\s*"$/);
    const object = await answer(clara, { format: { kind: "json" }, stop: ["Lisbon"] });
    expect(object.text).toMatch(/"city":\s*"$/);
  });

  it("gives a tool call that was cut as far as it was written, with its tokens", async () => {
    const schema = { type: "object", properties: { words: { enum: ["many words ".repeat(40)] } } };
    const tools = [{ name: "tell", parameters: JSON.stringify(schema) }];
    const cut = await answer(norway, { tools, toolChoice: "required", maxTokens: 70 });
    expect(cut).toMatchObject({ text: "", finishReason: "length", usage: { completionTokens: 70 } });
    const [call] = cut.toolCalls ?? [];
    expect(call?.name).toBe("tell");
    expect(call?.arguments.replace(/\s/g, "")).toMatch(/^\{"words":"manywords/);
  });

  it("gives no tool call whose name was cut", async () => {
    const names = ["a", "b"].map((name) => ({ name: `${name}_${"long_name_".repeat(5)}` }));
    const cut = await answer(norway, { tools: names, toolChoice: "required", maxTokens: 5 });
    expect(cut).toMatchObject({ text: "", finishReason: "length", usage: { completionTokens: 5 } });
    expect(cut.toolCalls).toBeUndefined();
  });

  it("ends an answer of tokens without text, which a requester can force", async () => {
    for (const controlToken of [0, 1, 3]) {
      const logitBias = [{ token: controlToken, bias: 100 }];
      expect(await answer(norway, { logitBias, maxTokens: 200 })).toMatchObject({
        text: "",
        finishReason: "stop",
        usage: { completionTokens: mostControlTokens + 1 },
      });
    }
  });

  it("returns null for a grammar that llama.cpp refuses", async () => {
    const llama = await getLlama({ gpu: false, build: "never", logLevel: LlamaLogLevel.disabled });
    const grammar = 'root ::= root "a" | "b"';
    expect(await grammarOf(llama, { kind: "grammar", grammar })).toBeNull();
    expect(await grammarOf(llama, { kind: "grammar", grammar: 'root ::= "a" root | "b"' })).not.toBeNull();
    await llama.dispose();
  });

  it("reports each token's log probability, and those of the likeliest tokens", async () => {
    const { text, stopText, logprobs = [] } = await answer(norway, { logprobs: 3, stop: ["!", "."] });
    expect(stopText).toBe(".");
    expect(logprobs.map(({ token }) => token).join("")).toBe(text);
    for (const { token, logprob, top } of logprobs) {
      expect(top).toHaveLength(3);
      expect(top[0]).toEqual({ token, logprob });
      expect(logprob).toBeLessThanOrEqual(0);
      expect(logprob).toBeGreaterThan(-1);
    }
    expect((await answer(norway, { logprobs: 0, maxTokens: 1 })).logprobs?.[0]?.top).toEqual([]);
  });

  it("applies biases and penalties, and ignores unknown tokens", async () => {
    const the = 480;
    const { text } = await answer(norway, {
      logitBias: [
        { token: the, bias: -100 },
        { token: 2 ** 31, bias: 5 },
      ],
    });
    expect(text.startsWith("The")).toBe(false);
    const said = "Make a bullet list: milk, eggs and bread";
    const [plain, penalized] = [
      await answer(said),
      await answer(said, { frequencyPenalty: 2, repeatPenalty: 2 }),
    ];
    const bullets = ({ text: of }: ChatResult): number => of.split("- ").length;
    expect(bullets(plain)).toBe(4);
    expect(bullets(penalized)).toBeLessThan(4);
  });

  it.each([{ topK: 1 }, { topP: 0 }, { minP: 1 }])(
    "draws among the tokens that %j leaves, at any temperature",
    async (bound) => {
      const letter = "Write a short email to Karen.";
      const wild = { temperature: 2, seed: 5, maxTokens: 12 };
      const likeliest = await answer(letter, { temperature: 0, maxTokens: 12 });
      expect((await answer(letter, wild)).text).not.toBe(likeliest.text);
      expect((await answer(letter, { ...wild, ...bound })).text).toBe(likeliest.text);
    },
  );

  it.each([{ frequencyPenalty: 2 }, { presencePenalty: 2 }, { repeatPenalty: 2 }])(
    "repeats itself less with %j",
    async (penalty) => {
      const format = { kind: "grammar", grammar: 'root ::= ([0-9] " "){10}' } as const;
      const differentDigits = async (more: Partial<ChatRequest>): Promise<number> =>
        new Set((await answer(norway, { format, ...more })).text.match(/\d/g)).size;
      expect(await differentDigits(penalty)).toBeGreaterThan(3 + (await differentDigits({})));
    },
  );

  it("repeats the text of a seed, and varies it with the seed", async () => {
    const wild = (seed: number) =>
      answer("Write a short email to Karen.", { temperature: 1.5, seed, topK: 50, minP: 0.01 });
    const [one, again, other] = [await wild(5), await wild(5), await wild(6)];
    expect(again.text).toBe(one.text);
    expect(other.text).not.toBe(one.text);
  });

  it("uses the organization's template if set, and fails with an invalid one", async () => {
    const work: Work = { kind: "chat", request: chat(norway, { maxTokens: 1 }) };
    const by = async (template: string) => (await run(work, { ...model, template })) as ChatResult;
    const long = "{% for m in messages %}{{ m.role }}: {{ m.content }} and so on and on\n{% endfor %}";
    const own = (await run(work)) as ChatResult;
    expect((await by(long)).usage.promptTokens).not.toBe(own.usage.promptTokens);
    await expect(by("{% for m in %}")).rejects.toThrow(/"internal_error"/);
    expect(((await run(work)) as ChatResult).usage.promptTokens).toBe(own.usage.promptTokens);
  });

  describe("with tools", () => {
    const parameters = JSON.stringify({ type: "object", properties: { city: { enum: ["Oslo", "Rome"] } } });
    const tools = [{ name: "weather", description: "Tells the weather.", parameters }, { name: "clock" }];

    it("calls one if it must, with arguments that follow its schema", async () => {
      const named = await answer(norway, { tools, toolChoice: { name: "weather" } });
      expect(named).toMatchObject({ text: "", finishReason: "tool_calls", toolCalls: [{ name: "weather" }] });
      const [call] = named.toolCalls ?? [];
      expect(["Oslo", "Rome"]).toContain((JSON.parse(call?.arguments ?? "") as { city: string }).city);
      expect(call?.id).toMatch(/^call_f\d+_0$/);
      const { toolCalls = [] } = await answer(norway, { tools, toolChoice: "required" });
      expect(toolCalls).toHaveLength(1);
      expect(["weather", "clock"]).toContain(toolCalls[0]?.name);
    });

    it("answers in words if it may, and if calls are forbidden", async () => {
      expect(await answer(norway, { tools })).toMatchObject({ finishReason: "stop" });
      expect(await answer(norway, { tools, toolChoice: "none" })).toMatchObject({
        text: "The capital of Norway is Oslo.",
      });
    });

    it("reads calls and their results", async () => {
      const asked = chat(norway, { tools });
      const called = { id: "c1", name: "weather", arguments: '{"city":"Oslo"}' };
      const { usage } = (await run({
        kind: "chat",
        request: {
          ...asked,
          messages: [
            ...asked.messages,
            { role: "assistant", content: "", toolCalls: [called] },
            { role: "tool", content: "sunny", toolCallId: "c1" },
          ],
        },
      })) as ChatResult;
      const alone = await answer(norway, { tools });
      expect(usage.promptTokens).toBeGreaterThan(alone.usage.promptTokens + 5);
    });
  });
});
