import { type ChatWrapper, LlamaText, SpecialTokensText } from "node-llama-cpp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packWritten, unpackWritten } from "../../../app/jobs/answers/written-tokens.ts";
import type { ChatRequest, ChatResult } from "../../../app/jobs/chat.ts";
import { defaultLimits } from "../../../app/trust/honest-replays.ts";
import type { ReplayResult } from "../../../app/trust/replay.ts";
import { verdictOf } from "../../../app/trust/verdict.ts";
import { answer } from "../generate/answer.ts";
import { PrefillSlices } from "../generate/prefill.ts";
import { callSyntax } from "../generate/tool-call.ts";
import { Libraries } from "../load/libraries.ts";
import type { LoadedModel } from "../load/load-model.ts";
import { ModelSlot } from "../load/model-slot.ts";
import { fullPace } from "../process/duty-cycle.ts";
import { chat, demoModel, planOf } from "../runner.fixture.ts";
import { WordCallWrapper } from "../word-call-wrapper.fixture.ts";
import { replay } from "./replay.ts";

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

const depsWith = (wrapper: ChatWrapper) => ({
  loaded: { ...model, wrapper },
  slices: new PrefillSlices(),
  pace: fullPace,
  signal: new AbortController().signal,
  clock: () => performance.now(),
  cacheOwner: undefined,
  step: () => undefined,
});

async function called(request: ChatRequest, wrapper: ChatWrapper): Promise<ChatResult> {
  const deps = { ...depsWith(wrapper), jobId: "job", emit: () => undefined };
  const outcome = await answer({ kind: "chat", request }, deps);
  if (outcome.kind !== "done" || !("text" in outcome.result)) throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

async function replayed(
  request: ChatRequest,
  {
    text,
    finishReason,
    toolCalls,
    written,
  }: Pick<ChatResult, "text" | "finishReason" | "toolCalls" | "written">,
  wrapper: ChatWrapper,
): Promise<ReplayResult> {
  const answered = {
    text,
    finishReason,
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(written === undefined ? {} : { written }),
  };
  const outcome = await replay({ of: { kind: "chat", request }, answer: answered }, depsWith(wrapper));
  if (outcome.kind !== "done" || !("replay" in outcome.result)) throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

const parameters = JSON.stringify({
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city", "days"],
  additionalProperties: false,
});
const tools = [
  { name: "weather", parameters },
  { name: "route", parameters },
];
const question = "What is the capital of Norway?";
const words = new WordCallWrapper("The capital");

const cases: readonly (readonly [string, Partial<ChatRequest>, ChatWrapper])[] = [
  ["a call that the request demands", { tools, toolChoice: "required" }, words],
  ["a call of a tool that is named", { tools, toolChoice: { name: "route" } }, words],
  ["a call that the model begins with words", { tools }, words],
  ["a call that the model begins in a later word", { tools }, new WordCallWrapper("Oslo")],
  ["a call beside a required format", { tools, format: { kind: "json" } }, words],
  [
    "several calls",
    { tools, toolChoice: "required", maxTokens: 120 },
    new WordCallWrapper(LlamaText(new SpecialTokensText("<|im_start|>")), [], LlamaText(")")),
  ],
];

it.each(cases)("fits %s", async (_name, changed, wrapper) => {
  let calls = 0;
  let compared = 0;
  for (const temperature of [0, 0.7, 1]) {
    for (let seed = 0; seed < 4; seed += 1) {
      const request = chat(question, { temperature, seed, maxTokens: 60, ...changed });
      const honest = await called(request, wrapper);
      if (honest.text === "" && (honest.toolCalls ?? []).length === 0) continue;
      calls += honest.toolCalls?.length ?? 0;
      const told = await replayed(request, honest, wrapper);
      expect([honest, told.replay.misses, told.counted?.completionTokens]).toEqual([
        honest,
        0,
        honest.usage.completionTokens,
      ]);
      const { written: _, ...untold } = honest;
      const { replay: found, counted } = await replayed(request, untold, wrapper);
      compared += found.tokens;
      expect([honest, found, verdictOf(found, defaultLimits)]).toEqual([honest, found, "fits"]);
      const { completionTokens } = honest.usage;
      expect(counted?.completionTokens).toBeGreaterThanOrEqual(completionTokens * 0.8 - 4);
      expect(counted?.completionTokens).toBeLessThanOrEqual(completionTokens * 1.25 + 4);
    }
  }
  expect(calls).toBeGreaterThan(0);
  expect(compared).toBeGreaterThan(20);
});

/** How many tokens a checker counts: of those that are told, and of the text. */
async function countsOf(
  request: ChatRequest,
  { written, ...answered }: ChatResult,
  wrapper: ChatWrapper,
): Promise<readonly [number | undefined, number | undefined]> {
  const told = written === undefined ? answered : { ...answered, written };
  const results = [await replayed(request, told, wrapper), await replayed(request, answered, wrapper)];
  const [ofTold, ofText] = results.map(({ counted }) => counted?.completionTokens);
  return [ofTold, ofText];
}

it("reads the text of an answer without calls if its device told the token that begins one", async () => {
  const wrapper = new WordCallWrapper(LlamaText(new SpecialTokensText("<|im_start|>")));
  const { trigger } = callSyntax(model.model, wrapper);
  if (trigger.kind !== "token") throw new Error("no token");
  const request = chat(question, { tools, temperature: 0, maxTokens: 60 });
  const honest = await called(request, wrapper);
  expect([honest.toolCalls, honest.finishReason]).toEqual([undefined, "stop"]);
  const [ids = []] = unpackWritten(honest.written ?? "") ?? [];
  const lie = { ...honest, written: packWritten([[...ids, trigger.token]]) };
  const [ofLie, ofText] = await countsOf(request, lie, wrapper);
  expect(ofLie).toBe(ofText);
});

it("reads the told tokens of an answer whose call was cut in its name", async () => {
  let cut = 0;
  for (let maxTokens = 1; maxTokens < 12; maxTokens += 1) {
    const request = chat(question, { tools, temperature: 0, maxTokens });
    const honest = await called(request, words);
    const passages = unpackWritten(honest.written ?? "") ?? [];
    if (honest.toolCalls !== undefined || passages.length < 2) continue;
    cut += 1;
    const [ofTold, ofText] = await countsOf(request, honest, words);
    expect([ofTold, ofTold === ofText]).toEqual([passages[0]?.length, false]);
    const more = { ...honest, written: packWritten([...passages, [300]]) };
    expect(await countsOf(request, more, words)).toEqual([ofText, ofText]);
  }
  expect(cut).toBeGreaterThan(0);
});

it("reads the told tokens of a call that was cut before its arguments", async () => {
  // Other words may have begun the call, so its text does not show them.
  const wrapper = new WordCallWrapper("The capital", ["Well"]);
  const asked = chat(question, { tools: tools.slice(0, 1), temperature: 0 });
  const [before = []] = unpackWritten((await called(asked, wrapper)).written ?? "") ?? [];
  const request = { ...asked, maxTokens: before.length };
  const honest = await called(request, wrapper);
  expect(honest).toMatchObject({ finishReason: "length", toolCalls: [{ arguments: "" }] });
  const [ofTold, ofText] = await countsOf(request, honest, wrapper);
  expect([ofTold, ofTold === ofText]).toEqual([before.length, false]);
});

it("finds calls with the arguments of another question odd", async () => {
  let [misses, tokens] = [0, 0];
  for (let seed = 0; seed < 6; seed += 1) {
    const request = chat(question, { tools, toolChoice: "required", temperature: 0, seed, maxTokens: 60 });
    const other = await called(
      chat("Tell me a story.", {
        ...request,
        messages: chat("Summarize: the meeting was moved to Tuesday.").messages,
        temperature: 1,
      }),
      words,
    );
    const found = await replayed(request, other, words);
    misses += found.replay.misses;
    tokens += found.replay.tokens;
  }
  expect(misses).toBeGreaterThan(tokens / 5);
});
