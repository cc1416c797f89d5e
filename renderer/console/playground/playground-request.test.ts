import { expect, it } from "vitest";
import { parseChat } from "../../../app/jobs/parse/parse-chat.ts";
import { parseCompletion } from "../../../app/jobs/parse/parse-completion.ts";
import { parseEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import { emptyForm, type Format, type PlaygroundForm, requestOf } from "./playground-request.ts";

const form = (fields: Partial<PlaygroundForm>): PlaygroundForm => ({ ...emptyForm, text: "Hi", ...fields });

function callOf(fields: Partial<PlaygroundForm>, turns: Parameters<typeof requestOf>[2] = []) {
  const request = requestOf(form(fields), "demo", turns);
  if (request.kind === "wrong") throw new Error(JSON.stringify(request.problems));
  return request.call;
}

it("sends the system prompt, the conversation and the new message", () => {
  const turns = [
    { role: "user", content: "One" },
    { role: "assistant", content: "Two" },
  ] as const;
  const { path, body } = callOf({ system: "Be brief.", text: "Three", stream: false }, turns);
  expect(path).toBe("chat/completions");
  expect(body).toEqual({
    model: "demo",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "One" },
      { role: "assistant", content: "Two" },
      { role: "user", content: "Three" },
    ],
  });
});

it("sends only the parameters that were typed", () => {
  const { body } = callOf({ temperature: "0", maxTokens: "12", topP: "0.5", seed: "7", stop: "END\n\nSTOP" });
  expect(body).toMatchObject({
    temperature: 0,
    max_tokens: 12,
    top_p: 0.5,
    seed: 7,
    stop: ["END", "STOP"],
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(Object.keys(callOf({ stream: false }).body)).toEqual(["model", "messages"]);
});

it.each<Format>(["text", "json", "schema", "tools"])(
  "makes chat calls that the API accepts: %s",
  (format) => {
    const call = callOf({ format, temperature: "2", maxTokens: "32768", topP: "1", seed: "2147483647" });
    expect(parseChat(JSON.stringify(call.body))).toMatchObject({ kind: "parsed" });
  },
);

it.each<Format>(["text", "json", "schema", "tools"])(
  "makes completions that the API accepts: %s",
  (format) => {
    const call = callOf({ mode: "completion", format });
    expect(call.path).toBe("completions");
    expect(call.body).not.toHaveProperty("tools");
    expect(parseCompletion(JSON.stringify(call.body))).toMatchObject({ kind: "parsed" });
  },
);

it("makes embeddings of the lines", () => {
  const call = callOf({ mode: "embedding", text: "a\n\nb\n", temperature: "hot" });
  expect(call).toEqual({ path: "embeddings", body: { model: "demo", input: ["a", "b"] } });
  expect(parseEmbedding(JSON.stringify(call.body))).toMatchObject({ kind: "parsed" });
});

it.each([
  ["text", { text: " \n" }],
  ["temperature", { temperature: "2.1" }],
  ["temperature", { temperature: "warm" }],
  ["maxTokens", { maxTokens: "0" }],
  ["maxTokens", { maxTokens: "1.5" }],
  ["maxTokens", { maxTokens: "32769" }],
  ["seed", { seed: "-1" }],
  ["topP", { topP: "1.01" }],
  ["schema", { format: "schema", schema: "{" }],
  ["schema", { format: "schema", schema: "[]" }],
  ["tools", { format: "tools", tools: "{}" }],
] as const)("names the wrong field: %s", (field, fields) => {
  const request = requestOf(form(fields), "demo");
  expect(request).toMatchObject({ kind: "wrong" });
  if (request.kind === "wrong") expect(Object.keys(request.problems)).toEqual([field]);
});
