import { describe, expect, it } from "vitest";
import { limits } from "./limits.ts";
import type { BodyParse } from "./parse/parse-body.ts";
import { parseChat } from "./parse/parse-chat.ts";
import { parseCompletion } from "./parse/parse-completion.ts";
import { parseEmbedding } from "./parse/parse-embedding.ts";

const user = { role: "user", content: "Hi" };
const chat = { model: "demo", messages: [user] };
const completion = { model: "demo", prompt: "Hi" };
const embedding = { model: "demo", input: "Hi" };

const calls: readonly {
  readonly name: string;
  readonly parse: (json: string) => BodyParse<unknown>;
  readonly valid: object;
  readonly fields: readonly string[];
}[] = [
  {
    name: "a chat",
    parse: parseChat,
    valid: chat,
    fields: [
      ...["model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "stop"],
      ...["stream", "stream_options", "service_tier", "n", "top_k", "min_p", "repeat_penalty", "grammar"],
      ...[
        "response_format",
        "presence_penalty",
        "frequency_penalty",
        "logit_bias",
        "logprobs",
        "top_logprobs",
      ],
      ...["tools", "tool_choice", "modalities", "functions", "function_call", "audio", "prediction"],
      "web_search_options",
    ],
  },
  {
    name: "a completion",
    parse: parseCompletion,
    valid: completion,
    fields: ["prompt", "logprobs", "best_of", "echo", "suffix"],
  },
  {
    name: "an embedding",
    parse: parseEmbedding,
    valid: embedding,
    fields: ["input", "encoding_format", "dimensions"],
  },
];

/** JSON texts, so that numbers beyond the largest one are among them. */
const wrongValues = [
  ...[
    "1e308",
    "-1e308",
    "1e999",
    "0.5",
    "-1",
    "0",
    "5",
    "1e400",
    "true",
    '""',
    '"x"',
    "[]",
    "{}",
    "[1]",
    "[[]]",
  ],
  ...[
    "[{}]",
    "[null]",
    '[""]',
    '{"a":1}',
    '{"__proto__":1}',
    '"\\ud800"',
    '"\\u202e"',
    '{"\\u202e\\n":1}',
    '{"1":1e9}',
  ],
  ...[
    '{"type":"x"}',
    '{"type":"function"}',
    '{"type":"json_schema"}',
    '{"include_usage":3}',
    '[{"role":"x"}]',
  ],
  ...[
    '[{"role":"user"}]',
    '[{"role":"user","content":[{"type":"image"}]}]',
    '[{"role":"tool","content":"x"}]',
  ],
  ...['[{"role":"assistant"}]', '[{"type":"function","function":{"name":"a b"}}]'],
  JSON.stringify("x".repeat(limits.promptBytes + 1)),
  JSON.stringify(Array(2_000).fill("x")),
];

describe.each(calls)("the refusals of $name", ({ parse, valid, fields }) => {
  const refusalsOf = (field: string) =>
    ["undefined", ...wrongValues].flatMap((value) => {
      const rest = Object.entries(valid).filter(([name]) => name !== field);
      const given = rest.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`);
      const json = `{${[...given, ...(value === "undefined" ? [] : [`"${field}":${value}`])].join(",")}}`;
      const parsed = parse(json);
      return parsed.kind === "refused" ? [parsed.refusal] : [];
    });

  it.each(fields)("name %s, and say what is accepted", (field) => {
    const refusals = refusalsOf(field);
    expect(refusals.length).toBeGreaterThan(0);
    for (const { message, param } of refusals) {
      expect(param?.startsWith(field)).toBe(true);
      expect(message).toContain(`'${String(param)}`);
      expect(message).toMatch(/^(?:Invalid|Missing|Unknown parameter|')[^\n]*[^\n. ][.?]$/);
      expect(message).not.toMatch(
        /Invalid input|Invalid key|Too big|Too small|expected|received|NaN|regex|union/,
      );
      expect(message.length).toBeLessThan(500);
    }
  });
});

it.each([
  [{ seed: 1e308 }, "Invalid 'seed': must be at most 9007199254740991."],
  [{ seed: 0.5 }, "Invalid 'seed': must be a whole number."],
  [{ temperature: 3 }, "Invalid 'temperature': must be at most 2."],
  [{ temperature: "x" }, "Invalid 'temperature': must be a number."],
  [{ max_tokens: 1.5 }, "Invalid 'max_tokens': must be a whole number."],
  [{ top_k: -1e308 }, "Invalid 'top_k': must be at least 0."],
  [{ response_format: 5 }, "Invalid 'response_format': must be an object."],
  [{ max_tokens: 0 }, "Invalid 'max_tokens': must be at least 1."],
  [{ model: "" }, "Invalid 'model': must not be empty."],
  [{ model: "x".repeat(201) }, "Invalid 'model': must have at most 200 characters."],
  [{ messages: [5] }, "Invalid 'messages[0]': must be an object."],
  [{ messages: [] }, "Invalid 'messages': must not be empty."],
  [{ messages: [{ role: "user", content: 5 }] }, "Invalid 'messages[0].content': must be text or a list."],
  [{ messages: [{ role: "assistant" }] }, "Missing 'messages[0].content', which is required."],
  [{ stop: Array(5).fill("x") }, "Invalid 'stop': must have at most 4 entries."],
  [{ stop: 5 }, "Invalid 'stop': must be text or a list."],
  [{ stream: "x" }, "Invalid 'stream': must be true or false."],
  [{ logit_bias: { x: 1 } }, "Invalid 'logit_bias.x': must be the id of a token."],
  [{ logit_bias: { 1: 101 } }, "Invalid 'logit_bias.1': must be at most 100."],
  [
    { tool_choice: 5 },
    `Invalid 'tool_choice': must be "none", "auto", "required" or an object with a function.`,
  ],
])("refuses %j with a sentence that names the field and the limit", (fields, message) => {
  expect(parseChat(JSON.stringify({ ...chat, ...fields }))).toMatchObject({ refusal: { message } });
});

const half = "\ud800";
it.each([
  ["messages[0].content", { messages: [{ role: "user", content: half }] }],
  ["messages[0].content[0].text", { messages: [{ role: "user", content: [{ type: "text", text: half }] }] }],
  ["messages[0].tool_call_id", { messages: [{ role: "tool", content: "x", tool_call_id: half }] }],
  ["messages[0].tool_calls[0].id", { messages: [{ role: "assistant", tool_calls: [toolCall(half, "{}")] }] }],
  [
    "messages[0].tool_calls[0].function.arguments",
    { messages: [{ role: "assistant", tool_calls: [toolCall("a", half)] }] },
  ],
  [
    "tools[0].function.description",
    { tools: [{ type: "function", function: { name: "f", description: half } }] },
  ],
  ["stop", { stop: half }],
  ["grammar", { grammar: `root ::= "${half}"` }],
  ["service_tier", { service_tier: half }],
])("refuses half of a surrogate pair in %s", (param, fields) => {
  const message = `Invalid '${param}': must be well-formed Unicode.`;
  expect(parseChat(JSON.stringify({ ...chat, ...fields }))).toMatchObject({ refusal: { param, message } });
});

function toolCall(id: string, json: string): object {
  return { id, type: "function", function: { name: "f", arguments: json } };
}

it("shortens a field's name in a refusal, and shows its hidden characters", () => {
  const parsed = parseChat(JSON.stringify({ ...chat, logit_bias: { [`\u202e${"x".repeat(100_000)}`]: 1 } }));
  if (parsed.kind !== "refused") throw new Error("it is accepted");
  expect(parsed.refusal.param).toMatch(/^logit_bias\.\ufffdx{100,200}…$/);
  expect(parsed.refusal.message.length).toBeLessThan(300);
});
