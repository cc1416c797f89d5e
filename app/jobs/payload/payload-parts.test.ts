import { expect, it } from "vitest";
import { answerParts, requestParts } from "./payload-parts.ts";

it("shows a chat's messages, a prompt, inputs, and anything else as JSON", () => {
  const messages = [{ role: "user", content: "Hi" }];
  expect(requestParts({ messages, cacheOwner: "secret" })).toEqual([{ from: "user", text: "Hi" }]);
  expect(requestParts({ prompt: "Once" })).toEqual([{ from: "prompt", text: "Once" }]);
  expect(requestParts({ inputs: ["a", "b"] })).toHaveLength(2);
  expect(requestParts({ other: 1 })).toEqual([{ from: "request", text: '{"other":1}' }]);
});

it("shows an answer's text and its calls of tools", () => {
  expect(answerParts({ text: "Hello", finishReason: "stop" })).toEqual([
    { from: "assistant", text: "Hello" },
  ]);
  const toolCalls = [{ id: "1", name: "sum", arguments: "{}" }];
  expect(answerParts({ text: "", toolCalls })).toEqual([{ from: "call of sum", text: "{}" }]);
  expect(answerParts({ embeddings: ["AA=="] })).toEqual([{ from: "vectors", text: "1" }]);
});
