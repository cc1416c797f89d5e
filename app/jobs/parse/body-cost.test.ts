import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { excessOf } from "../../json.ts";
import { limits } from "../limits.ts";
import { parseOllamaChat } from "./ollama/ollama-chat.ts";
import { parseChat } from "./parse-chat.ts";
import { parseCompletion } from "./parse-completion.ts";
import { parseEmbedding } from "./parse-embedding.ts";
import { parseMessages } from "./parse-messages.ts";
import { parseResponse } from "./parse-response.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const parsers = [parseChat, parseCompletion, parseEmbedding];
const user = { role: "user", content: "x" };
const chat = { model: "m", messages: [user] };
const tool = (parameters: Json): Json => ({
  type: "function",
  function: { name: "f", parameters, strict: true },
});

/** Every place of a body where many values fit. */
const places: Readonly<Record<string, (many: readonly Json[]) => Json>> = {
  messages: (many) => ({ ...chat, messages: many }),
  "parts of a message": (many) => ({ ...chat, messages: [{ ...user, content: many }] }),
  "tool calls": (many) => ({ ...chat, messages: [{ role: "assistant", tool_calls: many }] }),
  modalities: (many) => ({ ...chat, modalities: many }),
  stop: (many) => ({ ...chat, prompt: "x", stop: many }),
  tools: (many) => ({ ...chat, tools: many }),
  "a field that is not supported": (many) => ({ ...chat, functions: many }),
  "a field that is ignored": (many) => ({ ...chat, metadata: many }),
  "biases of tokens": (many) => ({
    ...chat,
    prompt: "x",
    logit_bias: Object.fromEntries(many.map((each, index) => [`${String(index)}x`, each])),
  }),
  prompt: (many) => ({ model: "m", prompt: many }),
  input: (many) => ({ model: "m", input: many }),
  ...Object.fromEntries(
    ["enum", "oneOf", "prefixItems", "required", "type", "x"].map((keyword) => [
      `a schema's ${keyword}`,
      (many: readonly Json[]): Json => ({ ...chat, tools: [tool({ [keyword]: many })] }),
    ]),
  ),
  "a schema's properties": (many) => ({
    ...chat,
    tools: [
      tool({ type: "object", properties: Object.fromEntries(many.map((each, at) => [`p${at}`, each])) }),
    ],
  }),
};

const wrongElement = fc.constantFrom<Json>(
  0,
  null,
  "\ud800",
  "",
  [],
  {},
  { type: 1 },
  { type: "text", text: "\ud800" },
  { role: "x" },
  { type: "function" },
);

afterEach(() => vi.restoreAllMocks());

/** How often the parsers read a field or an element of a body. */
function readsOf(json: string, read: readonly ((json: string) => unknown)[] = parsers): number {
  let reads = 0;
  const parseJson = JSON.parse;
  const counted = (value: unknown): unknown =>
    typeof value !== "object" || value === null
      ? value
      : new Proxy(value, {
          get: (target, key): unknown => {
            reads += 1;
            return counted(Reflect.get(target, key));
          },
          getOwnPropertyDescriptor: (target, key) => {
            reads += 1;
            return Reflect.getOwnPropertyDescriptor(target, key);
          },
        });
  const spy = vi.spyOn(JSON, "parse").mockImplementation((text: string) => counted(parseJson(text)));
  for (const parse of read) parse(json);
  spy.mockRestore();
  return reads;
}

/** Zod reads all names of an object's fields before it counts them. */
const isRecord = (name: string): boolean => /biases|properties/.test(name);
/** Ids of tokens, which are right. */
const isId = (name: string, element: unknown): boolean => /^(?:input|prompt)$/.test(name) && element === 0;

describe.each(Object.entries(places))("a body with many wrong values in %s", (name, body) => {
  it("is refused at the first one", () => {
    fc.assert(
      fc.property(wrongElement, fc.integer({ min: 1, max: 6_000 }), (element, count) => {
        const reads = readsOf(JSON.stringify(body(Array(count).fill(element))));
        // As a schema, {} is right. There may be 500.
        const isReadWhole = isRecord(name) || isId(name, element);
        expect(reads).toBeLessThan(isReadWhole ? 300 + 10 * count : 5_000);
      }),
      { numRuns: 50 },
    );
  });

  it("is refused unread if it has more than a body may have", () => {
    const json = JSON.stringify(body(Array(limits.bodyBytes / 4).fill(0)));
    expect(readsOf(json)).toBe(0);
  });
});

it("refuses a body at the first field that must not be there", () => {
  for (const count of [10, 6_000]) {
    const options = Object.fromEntries(Array.from({ length: count }, (_, at) => [`o${at}`, [at]]));
    const body = JSON.stringify({ ...chat, options });
    // Names and values are listed once.
    expect(readsOf(body, [parseOllamaChat])).toBeLessThan(100 + 3 * count);
    expect(parseOllamaChat(body)).toMatchObject({ refusal: { param: "options.o0" } });
  }
});

/** Two alternatives that reach two enums without a shared text by many references each. */
function manyComparisons(references: number, texts: number): Json {
  const choice = (name: string): Json => ({
    anyOf: Array<Json>(references).fill({ $ref: `#/$defs/${name}` }),
  });
  const constants = (name: string): Json => ({
    enum: Array.from({ length: texts }, (_, index) => `${name}${index}`),
  });
  return { oneOf: [choice("a"), choice("b")], $defs: { a: constants("a"), b: constants("b") } };
}

/** Runs `work`, and throws as soon as it has looked up more than `most` values in lists and sets. */
function withLookups<Result>(most: number, work: () => Result): Result {
  let lookups = 0;
  const count = (more: number): void => {
    lookups += more;
    if (lookups > most) throw new Error(`looked up more than ${most} values`);
  };
  const { includes } = Array.prototype;
  const { has } = Set.prototype;
  vi.spyOn(Array.prototype, "includes").mockImplementation(function (this: unknown[], ...args) {
    count(this.length);
    return includes.apply(this, args);
  });
  vi.spyOn(Set.prototype, "has").mockImplementation(function (this: Set<unknown>, value) {
    count(1);
    return has.call(this, value);
  });
  try {
    return work();
  } finally {
    vi.restoreAllMocks();
  }
}

const tooMany = expect.stringContaining("too many alternatives to compare") as string;

it("refuses a schema with too many alternatives to compare after a bounded number of comparisons", () => {
  const body = JSON.stringify({ ...chat, tools: [tool(manyComparisons(200, 490))] });
  const parsed = withLookups(100_000, () => parseChat(body));
  expect(parsed).toMatchObject({
    refusal: { param: "tools[0].function.parameters.oneOf", message: tooMany },
  });
});

it("bounds the comparisons of all schemas in one schema", () => {
  const { oneOf, $defs } = manyComparisons(5, 200) as Record<string, Json>;
  const many = {
    prefixItems: Array<Json>(20).fill({ oneOf: oneOf ?? null }),
    type: "array",
    $defs: $defs ?? null,
  };
  const body = JSON.stringify({ ...chat, tools: [tool(many)] });
  expect(withLookups(100_000, () => parseChat(body))).toMatchObject({ refusal: { message: tooMany } });
});

it("bounds the comparisons of all tools of a request together", () => {
  const bodyOf = (count: number): string =>
    JSON.stringify({ ...chat, tools: Array.from({ length: count }, (_, at) => named(`f${at}`)) });
  const named = (name: string): Json => ({
    type: "function",
    function: { name, parameters: manyComparisons(10, 20), strict: true },
  });
  expect(parseChat(bodyOf(5))).toMatchObject({ kind: "parsed" });
  expect(withLookups(100_000, () => parseChat(bodyOf(60)))).toMatchObject({ refusal: { message: tooMany } });
});

it("bounds the comparisons in the schemas of tools that are not strict, and refuses none", () => {
  const named = (name: string): Json => ({
    type: "function",
    function: { name, parameters: manyComparisons(20, 20) },
  });
  const tools = Array.from({ length: 60 }, (_, at) => named(`f${at}`));
  const body = JSON.stringify({ ...chat, tools });
  expect(withLookups(1_000_000, () => parseChat(body))).toMatchObject({ kind: "parsed" });
});

it("compares nothing in a schema that is too long", () => {
  const { oneOf, $defs } = manyComparisons(10, 400) as Record<string, Json>;
  const long = { oneOf: oneOf ?? null, $defs: $defs ?? null, description: "x".repeat(40_000) };
  const body = JSON.stringify({ ...chat, tools: [tool(long)] });
  expect(withLookups(10_000, () => parseChat(body))).toMatchObject({
    refusal: {
      message: "Invalid 'tools[0].function.parameters': has more than 32768 characters.",
    },
  });
});

it("accepts many alternatives that a constant tells apart", () => {
  const kinds = Array.from({ length: 60 }, (_, index) => ({
    type: "object",
    properties: { kind: { const: `k${index}` }, text: { type: "string" } },
  }));
  const body = JSON.stringify({ ...chat, tools: [tool({ oneOf: kinds })] });
  expect(parseChat(body)).toMatchObject({ kind: "parsed" });
});

it.each([
  ["1", 1],
  ["[]", 2],
  ["[1,[2],{}]", 6],
  ['{"a":1,"b":[null,"x"]}', 5],
  ['"a,b[c{\\",,,"', 1],
  ['["\\\\",1]', 3],
])("counts %s as %i values", (json, values) => {
  expect(excessOf(json, { values: values - 1 })).toBe("values");
  expect(excessOf(json, { values })).toBeNull();
});

it.each([
  ["[]", 1],
  ['[[1],{"a":[2]}]', 3],
  ['["[[{"]', 1],
  ['["\\"[[",{}]', 2],
])("counts %s as %i levels", (json, levels) => {
  expect(excessOf(json, { depth: levels - 1 })).toBe("depth");
  expect(excessOf(json, { depth: levels })).toBeNull();
});

it("refuses a body that is too deep to be written again", () => {
  const nested = `${"[".repeat(9_000)}${"]".repeat(9_000)}`;
  const asked = '"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"input":"x"';
  for (const parse of [...parsers, parseResponse, parseMessages, parseOllamaChat]) {
    for (const tools of [
      `[{"name":"a","input_schema":${nested}}]`,
      `[{"type":"function","parameters":${nested}}]`,
    ])
      expect(parse(`{${asked},"tools":${tools}}`)).toMatchObject({
        refusal: { status: 400, message: "The body has lists and objects more than 256 levels deep." },
      });
  }
});

it("names the list with too many parts, and says what a body with too many values can do", () => {
  const parts = JSON.stringify(places["parts of a message"]?.(Array(1_001).fill({ type: "text", text: "" })));
  expect(parseChat(parts)).toMatchObject({
    refusal: { message: "Invalid 'messages[0].content': must have at most 1000 entries." },
  });
  const values = JSON.stringify(places["parts of a message"]?.(Array(limits.bodyValues).fill(0)));
  expect(parseChat(values)).toMatchObject({
    refusal: {
      status: 413,
      code: "request_too_large",
      message:
        "The body has more than 20000 values (lists, objects and all that is in them). Send less at once.",
    },
  });
});
