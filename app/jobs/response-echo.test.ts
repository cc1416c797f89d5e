import { describe, expect, it } from "vitest";
import type { ChatRequest } from "./chat.ts";
import { parseResponse } from "./parse/parse-response.ts";
import { keptEcho, type ResponseEcho, wholeEcho } from "./response-echo.ts";

function parsed(body: object): { readonly echo: ResponseEcho; readonly request: ChatRequest } {
  const parse = parseResponse(JSON.stringify({ input: "Hi", ...body }));
  if (parse.kind === "refused") throw new Error(JSON.stringify(parse.refusal));
  const { echo, request } = parse.asked;
  return { echo, request: { ...request, maxTokens: request.maxTokens ?? 1_024, seed: 1 } };
}

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const strict = { ...city, additionalProperties: false };
const weather = { type: "function", name: "weather", parameters: strict, strict: true };
const unenforceable = { type: "object", properties: { city: { type: "string", contentEncoding: "x" } } };

describe("the echo of a stored request", () => {
  it.each<[string, object]>([
    ["nothing", {}],
    ["instructions", { instructions: "Be brief." }],
    ["empty instructions", { instructions: "" }],
    ["a system message that is no instruction", { input: [{ role: "system", content: "Rules." }] }],
    ["sampling", { temperature: 0.3, top_p: 0.5, max_output_tokens: 7 }],
    ["what no device needs", { metadata: { task: "7", $ref: "x" }, background: true, store: false }],
    ["tools", { tools: [weather, { type: "function", name: "now", description: null }] }],
    ["a tool that is forced", { tools: [weather], tool_choice: { type: "function", name: "weather" } }],
    ["one call at most", { tools: [weather], parallel_tool_calls: false }],
    ["a choice without tools", { tool_choice: "none", parallel_tool_calls: false }],
    [
      "a schema that no grammar enforces",
      { tools: [{ ...weather, strict: false, parameters: unenforceable }] },
    ],
    ["a strict answer", { text: { format: { type: "json_schema", schema: strict, strict: true } } }],
    ["a lax answer", { text: { format: { type: "json_schema", schema: city } } }],
    ["any JSON", { text: { format: { type: "json_object" } } }],
  ])("is that of its call, with %s", (_, body) => {
    const { echo, request } = parsed(body);
    expect(wholeEcho(keptEcho(echo, request), request)).toEqual(echo);
  });

  it("keeps little that the request has", () => {
    const tools = Array.from({ length: 20 }, (_, index) => ({ ...weather, name: `weather${String(index)}` }));
    const { echo, request } = parsed({ instructions: "x".repeat(10_000), tools });
    expect(keptEcho(echo, request).length).toBeLessThan(1_000);
  });

  it("has the schemas of devices if its own ones are too long to be kept twice", () => {
    const long = {
      ...unenforceable,
      properties: { city: { type: "string", contentEncoding: "x".repeat(70_000) } },
    };
    const { echo, request } = parsed({
      metadata: { task: "7" },
      tools: [{ ...weather, strict: false, parameters: long }],
    });
    const kept = keptEcho(echo, request);
    expect(kept.length).toBeLessThan(1_000);
    const whole = wholeEcho(kept, request);
    expect(whole).toMatchObject({ metadata: { task: "7" }, tools: [{ type: "function", name: "weather" }] });
  });
});
