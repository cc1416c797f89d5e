import type { LlamaContextSequence, LlamaModel, Token } from "node-llama-cpp";
import { expect, it } from "vitest";
import { SharedBatches } from "../load/shared-batches.ts";
import { fullPace } from "../process/duty-cycle.ts";
import { type PassageEnd, Writer } from "./writer.ts";

/** Writes these tokens' bytes, stops at "END", and returns the end of the passage and its text. */
async function write(tokens: readonly string[], maxTokens: number): Promise<[PassageEnd, string]> {
  const bytes = tokens.map((token) => Buffer.from(token, "latin1"));
  const numbers = tokens.map((_, index) => index as Token);
  const sequence = {
    contextTokens: [],
    nextTokenIndex: 0,
    async *evaluateWithMetadata() {
      for (const token of numbers) yield await Promise.resolve({ token });
    },
  };
  const model = {
    fileInfo: { metadata: { tokenizer: { ggml: { tokens } } } },
    detokenize: (all: readonly Token[]) =>
      Buffer.concat(all.flatMap((token) => bytes[token] ?? [])).toString("utf8"),
  };
  const writer = new Writer({
    model: model as unknown as LlamaModel,
    sequence: sequence as unknown as LlamaContextSequence,
    batches: new SharedBatches(),
    request: { maxTokens, temperature: 0, topP: 1, seed: 1, stop: [] },
    contextTokens: 100,
    signal: new AbortController().signal,
    pace: fullPace,
    clock: () => 0,
    step: () => undefined,
  });
  let text = "";
  const end = await writer.write([99 as Token], {
    enforced: null,
    stopTexts: ["END"],
    stopTokens: new Set(),
    reported: true,
    emit: (piece) => (text += piece),
  });
  return [end, text];
}

const stopAfterTwo = { kind: "stop-text", text: "END", tokensBefore: 2 };

it("counts the tokens before a stop text", async () => {
  expect(await write(["Hello", " world", "E", "ND", "more"], 9)).toEqual([stopAfterTwo, "Hello world"]);
});

it.each([
  ["the model's end", 9],
  ["the token limit", 4],
])("counts the tokens before a stop text that %s reveals", async (_at, maxTokens) => {
  // The last tokens begin a character that never ends, so their text is held back until then.
  const tokens = ["Hello", " world", "END\xE2", "\x82"];
  expect(await write(tokens, maxTokens)).toEqual([stopAfterTwo, "Hello world"]);
});
