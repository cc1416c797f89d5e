import { expect, it } from "vitest";
import { textOf } from "./wire.ts";

const call = { type: "function_call", name: "weather" };

it.each([
  ["a chat", { choices: [{ message: { content: "Blue." } }] }],
  ["a completion", { choices: [{ text: "Blue." }] }],
  ["a response", { object: "response", output: [{ content: [{ text: "Bl" }, { text: "ue." }] }, call] }],
  ["a message", { type: "message", content: [{ text: "Blue." }, { type: "tool_use" }] }],
  ["a chat of Ollama", { message: { content: "Blue." } }],
  ["a completion of Ollama", { response: "Blue." }],
])("finds the text of %s", (_, body) => {
  expect(textOf(body)).toBe("Blue.");
});

it.each([
  { choices: [{ message: { content: null } }] },
  { object: "response", output: [call] },
  { type: "message", content: [{ type: "tool_use" }] },
  { message: { content: "", tool_calls: [call] } },
  { embeddings: [[1, 0]] },
])("shows %j as JSON", (body) => {
  expect(textOf(body)).toBe(JSON.stringify(body));
});
