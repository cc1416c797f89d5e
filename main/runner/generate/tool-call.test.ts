import { type ChatWrapper, LlamaText, SpecialTokensText } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RequestStep } from "../../../app/contract/runner.ts";
import { mostTries } from "../../../app/jobs/answers/answer-checks.ts";
import { textMistake } from "../../../app/jobs/answers/text-check.ts";
import type { ChatRequest, ToolCall } from "../../../app/jobs/chat.ts";
import type { StreamItem } from "../../../app/jobs/stream-item.ts";
import { Libraries } from "../load/libraries.ts";
import type { LoadedModel } from "../load/load-model.ts";
import { ModelSlot } from "../load/model-slot.ts";
import { fullPace } from "../process/duty-cycle.ts";
import { chat, demoModel, planOf } from "../runner.fixture.ts";
import { WordCallWrapper } from "../word-call-wrapper.fixture.ts";
import { answer } from "./answer.ts";
import { PrefillSlices } from "./prefill.ts";

let slot: ModelSlot;
let model: LoadedModel;

beforeAll(async () => {
  const file = await demoModel();
  slot = new ModelSlot(new Libraries());
  const load = await slot.load(file, planOf(file), new AbortController().signal);
  if (load.kind !== "loaded") throw new Error(load.kind);
  model = load.loaded;
});

afterAll(async () => await slot.unload());

/** Asks the model, whose calls begin with these words. */
async function ask(
  request: ChatRequest,
  wrapper: ChatWrapper,
  step: (step: RequestStep | null, streamed: string) => void = () => undefined,
) {
  const loaded = { ...model, wrapper };
  let streamed = "";
  const items: StreamItem[] = [];
  const outcome = await answer(
    { kind: "chat", request },
    {
      loaded,
      slices: new PrefillSlices(),
      pace: fullPace,
      clock: () => 0,
      signal: new AbortController().signal,
      cacheOwner: undefined,
      jobId: "j1",
      step: (at) => step(at, streamed),
      emit: (text, more) => {
        streamed += text;
        items.push(...more);
      },
    },
  );
  if (outcome.kind !== "done" || !("text" in outcome.result)) throw new Error(JSON.stringify(outcome));
  return { ...outcome.result, streamed, items };
}

const question = chat("What is the capital of Norway?");
const tools = [{ name: "weather", parameters: '{"type":"object","properties":{"n":{"type":"integer"}}}' }];

it("turns text into a call when the model begins one", async () => {
  const wrapper = new WordCallWrapper(" of Norway", [" of Nor"]);
  const asked = { ...question, tools };
  expect(await ask({ ...asked, toolChoice: "none" }, wrapper)).toMatchObject({
    text: "The capital of Norway is Oslo.",
  });
  const called = await ask(asked, wrapper);
  expect(called).toMatchObject({ text: "The capital", streamed: "The capital", finishReason: "tool_calls" });
  expect(called.toolCalls).toMatchObject([{ name: "weather" }]);
  const { n } = JSON.parse(called.toolCalls?.[0]?.arguments ?? "") as { n: number };
  expect(Number.isInteger(n)).toBe(true);
  const again = await ask(asked, wrapper);
  expect(again.toolCalls).toEqual(called.toolCalls);
});

/** The calls that were streamed. */
function streamedCalls(items: readonly StreamItem[]): readonly ToolCall[] {
  const calls: ToolCall[] = [];
  for (const item of items) {
    const last = calls.at(-1);
    if ("call" in item) calls.push({ ...item.call, arguments: "" });
    else if ("arguments" in item && last !== undefined)
      calls.splice(-1, 1, { ...last, arguments: last.arguments + item.arguments });
  }
  return calls;
}

it("streams the name of a call, and then its arguments as they come", async () => {
  const wrapper = new WordCallWrapper(" of Norway", [" of Nor"]);
  const parameters = JSON.stringify({
    type: "object",
    properties: { city: { type: "string", maxLength: 40 }, note: { type: "string", maxLength: 40 } },
  });
  const offered = { ...question, tools: [{ name: "weather", parameters }, { name: "clock" }] };
  for (let seed = 1; seed <= 4; seed += 1) {
    const called = await ask({ ...offered, seed, temperature: 1, logprobs: 1, maxTokens: 64 }, wrapper);
    expect(streamedCalls(called.items)).toEqual(called.toolCalls);
    const tokens = called.items.flatMap((item) => ("token" in item ? [item.token] : []));
    expect(tokens).toEqual(called.logprobs);
    const begun = called.items.findIndex((item) => "call" in item);
    expect(called.items.slice(0, begun).every((item) => "token" in item)).toBe(true);
    expect(called.items.length - begun).toBeGreaterThan(2);
  }
});

it("streams the text before a call whose arguments are checked, and writes only those again", async () => {
  const wrapper = new WordCallWrapper(" of Norway", [" of Nor"]);
  const offer = (all: object) => [
    { name: "weather", parameters: JSON.stringify({ type: "object", properties: { all } }) },
  ];
  const pair = { type: "array", items: { type: "boolean" }, minItems: 2, maxItems: 2 };
  let mended = 0;
  for (let seed = 1; seed <= 12; seed += 1) {
    const asked = { ...question, seed, temperature: 1 };
    const first = await ask({ ...asked, tools: offer(pair) }, wrapper);
    const streamedAtChecks: string[] = [];
    const note = (at: RequestStep | null, streamed: string): void => {
      if (at === "check") streamedAtChecks.push(streamed);
    };
    const checked = await ask(
      { ...asked, tools: offer({ ...pair, uniqueItems: true }) },
      wrapper,
      note,
    ).catch((error: unknown) => {
      expect(String(error)).toContain('"schema_not_met"');
      return null;
    });
    expect(new Set(streamedAtChecks)).toEqual(new Set(["The capital"]));
    if (checked === null) {
      expect(streamedAtChecks).toHaveLength(mostTries);
      continue;
    }
    expect(checked).toMatchObject({
      text: "The capital",
      streamed: "The capital",
      finishReason: "tool_calls",
    });
    const { all } = JSON.parse(checked.toolCalls?.[0]?.arguments ?? "") as { all: boolean[] };
    expect(new Set(all).size).toBe(2);
    if (streamedAtChecks.length === 1) expect(checked.usage).toEqual(first.usage);
    else mended += 1;
    // Dropped tokens are not paid.
    const answered = "The capital" + (checked.toolCalls?.[0]?.arguments ?? "");
    expect(checked.usage.completionTokens).toBeLessThanOrEqual(answered.length + 4);
  }
  expect(mended).toBeGreaterThan(0);
});

describe("several calls in an answer", () => {
  // The model was not trained to go on after a call. So the question is repeated, and it begins its answer again.
  const turn =
    "<|im_end|>\n<|im_start|>user\nWhat is the capital of Norway?<|im_end|>\n<|im_start|>assistant\n";
  const suffix = LlamaText(new SpecialTokensText(`${turn}The capital`));
  const wrapper = new WordCallWrapper(" of Norway", [" of Nor"], suffix);
  const asked = { ...question, tools, temperature: 0, maxTokens: 200 };

  const mistake = (answer: Awaited<ReturnType<typeof ask>>, request: ChatRequest) => {
    const { streamed: _streamed, items: _items, ...result } = answer;
    return textMistake(result, { request, promptTokens: 500, contextTokens: 512, heldMs: 60_000 });
  };

  it("are written and streamed as long as the model begins another one", async () => {
    for (const more of [[], [{ name: "clock" }]]) {
      const request = { ...asked, tools: [...tools, ...more], logprobs: 0 };
      const called = await ask(request, wrapper);
      const { toolCalls = [] } = called;
      expect(toolCalls.length).toBeGreaterThan(1);
      expect(called).toMatchObject({ text: "The capital", streamed: "The capital" });
      expect(toolCalls.map(({ id }) => id)).toEqual(toolCalls.map((_, at) => `call_j1_${String(at)}`));
      expect(streamedCalls(called.items)).toEqual(toolCalls);
      expect(mistake(called, request)).toBeNull();
      // The tokens by which another call was looked for are not paid.
      const written = called.text + toolCalls.map((call) => call.name + call.arguments).join("");
      expect(called.usage.completionTokens).toBeLessThanOrEqual(written.length + 4);
    }
  });

  it("are one if the request or the template says so, or if the tool is chosen", async () => {
    const one = { toolCalls: [{ name: "weather" }], finishReason: "tool_calls" };
    expect(await ask({ ...asked, parallelToolCalls: false }, wrapper)).toMatchObject(one);
    expect(await ask({ ...asked, toolChoice: { name: "weather" } }, wrapper)).toMatchObject(one);
    expect(await ask(asked, new WordCallWrapper(" of Norway", [" of Nor"]))).toMatchObject(one);
  });

  it("may be cut by the bound of tokens, at any place", async () => {
    const offered = { ...asked, tools: [...tools, { name: "clock" }] };
    const { toolCalls: whole = [], usage } = await ask(offered, wrapper);
    const trimmed = (calls: readonly ToolCall[]) =>
      calls.map((call) => ({ ...call, arguments: call.arguments.trimEnd() }));
    const counts = new Set<number>();
    for (let maxTokens = 3; maxTokens < Math.min(40, usage.completionTokens); maxTokens += 1) {
      const request = { ...offered, maxTokens };
      const cut = await ask(request, wrapper);
      const { toolCalls = [] } = cut;
      expect(mistake(cut, request)).toBeNull();
      // Blanks at the end come with the result.
      expect(trimmed(streamedCalls(cut.items))).toEqual(trimmed(toolCalls));
      const [last] = toolCalls.slice(-1);
      expect(toolCalls.slice(0, -1)).toEqual(whole.slice(0, Math.max(0, toolCalls.length - 1)));
      if (last !== undefined)
        expect(whole[toolCalls.length - 1]?.arguments.startsWith(last.arguments)).toBe(true);
      counts.add(toolCalls.length);
    }
    expect(counts.size).toBeGreaterThan(2);
  });
});

describe("with tools and a format", () => {
  const schema = '{"type":"object","properties":{"city":{"type":"string","maxLength":20}}}';
  const formats = [
    { kind: "json-schema", schema },
    { kind: "json" },
    { kind: "grammar", grammar: 'root ::= "{" [a-z" ]{1,8} "}"' },
  ] as const;

  it.each(formats)("the model answers in the format $kind", async (format) => {
    const wrapper = new WordCallWrapper("The capital of ");
    const asked = {
      ...chat("Return JSON with name and city: Clara Novak moved to Lisbon last year."),
      tools,
      format,
    };
    const { toolCalls: _, text, streamed, finishReason } = await ask(asked, wrapper);
    const plain = await ask({ ...asked, tools: [] }, wrapper);
    expect({ text, streamed, finishReason }).toEqual({
      text: plain.text,
      streamed: plain.text,
      finishReason: "stop",
    });
    expect(text).toMatch(/^\{/);
  });

  it.each(formats)("the model calls a tool instead of the format $kind", async (format) => {
    const wrapper = new WordCallWrapper("The capital of ");
    for (const more of [[], [{ name: "clock" }]]) {
      const called = await ask({ ...question, tools: [...tools, ...more], format, temperature: 0 }, wrapper);
      expect(called).toMatchObject({ text: "", streamed: "", finishReason: "tool_calls" });
      expect(["weather", "clock"]).toContain(called.toolCalls?.[0]?.name);
      expect(() => JSON.parse(called.toolCalls?.[0]?.arguments ?? "") as unknown).not.toThrow();
      expect(
        textMistake(called, {
          request: { ...question, tools: [...tools, ...more], format },
          promptTokens: 500,
          contextTokens: 512,
          heldMs: 60_000,
        }),
      ).toBeNull();
    }
  });

  it("shows no beginning of a call that was cut", async () => {
    const wrapper = new WordCallWrapper("The capital of ");
    const [format] = formats;
    for (const maxTokens of [1, 2, 3]) {
      const cut = await ask({ ...question, tools, format, maxTokens }, wrapper);
      expect(cut).toMatchObject({ text: "", streamed: "", finishReason: "length" });
    }
    expect(await ask({ ...question, tools, format, stop: ["capital"] }, wrapper)).toMatchObject({ text: "" });
  });

  it("a text in the answer that looks like a call is none", async () => {
    const wrapper = new WordCallWrapper("Oslo");
    const format = { kind: "grammar", grammar: 'root ::= "{Osloweather}"' } as const;
    expect(await ask({ ...question, tools, format }, wrapper)).toMatchObject({
      text: expect.stringMatching(/^(?:\{Osloweather\})?$/) as string,
    });
  });
});
