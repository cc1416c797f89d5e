import { describe, expect, it } from "vitest";
import { recordOf } from "../../json.ts";
import { limits } from "../limits.ts";
import { parseChat } from "./parse-chat.ts";
import { parseResponse } from "./parse-response.ts";

const minimal = { model: "demo", messages: [{ role: "user", content: "Hi" }] };
const parse = (fields: object) => parseChat(JSON.stringify({ ...minimal, ...fields }));

const named = (name: string) => ({ type: "function", function: { name } });
const weather = {
  type: "function",
  function: {
    name: "weather",
    description: "Tells it.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const schemaOf = (schema: unknown, strict = true) => ({
  type: "json_schema",
  json_schema: { name: "answer", schema, strict },
});

describe("parseChat", () => {
  it("fills in a chat's defaults and leaves seed and length to the backend", () => {
    expect(parse({})).toEqual({
      kind: "parsed",
      asked: {
        model: "demo",
        stream: false,
        includeUsage: false,
        choices: 1,
        vote: null,
        priority: "normal",
        request: {
          messages: [{ role: "user", content: "Hi" }],
          maxTokens: null,
          temperature: 1,
          topP: 1,
          seed: null,
          stop: [],
        },
      },
    });
  });

  it.each([
    ["priority", "high"],
    ["flex", "low"],
    ["default", "normal"],
    ["auto", "normal"],
    ["scale", "normal"],
    ["toString", "normal"],
    [null, "normal"],
  ])("maps the service tier %s to the priority %s", (tier, priority) => {
    expect(parse({ service_tier: tier })).toMatchObject({ asked: { priority } });
  });

  it("parses every basic field of a chat", () => {
    const parsed = parse({
      messages: [
        { role: "developer", content: "Be brief." },
        {
          role: "assistant",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
      max_tokens: 5,
      max_completion_tokens: 7,
      temperature: 0,
      top_p: 0.5,
      seed: -1,
      stop: "end",
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(parsed).toMatchObject({
      asked: {
        stream: true,
        includeUsage: true,
        request: {
          messages: [
            { role: "system", content: "Be brief." },
            { role: "assistant", content: "ab" },
          ],
          maxTokens: 7,
          temperature: 0,
          topP: 0.5,
          seed: 1,
          stop: ["end"],
        },
      },
    });
  });

  it("parses a chat's sampling fields, answer format and log probabilities", () => {
    const parsed = parse({
      top_k: 40,
      min_p: 0.1,
      repeat_penalty: 1.1,
      presence_penalty: 0.5,
      frequency_penalty: -0.5,
      logprobs: true,
      top_logprobs: 2,
      logit_bias: { "7": -100 },
      response_format: schemaOf({
        title: "Answer",
        anyOf: [{ type: "string" }, { $ref: "#/$defs/n" }],
        $defs: { n: { type: "integer" } },
      }),
    });
    expect(parsed).toMatchObject({
      asked: {
        request: {
          topK: 40,
          minP: 0.1,
          repeatPenalty: 1.1,
          presencePenalty: 0.5,
          frequencyPenalty: -0.5,
          logprobs: 2,
          logitBias: [{ token: 7, bias: -100 }],
          format: {
            kind: "json-schema",
            schema: '{"oneOf":[{"type":"string"},{"$ref":"#/$defs/n"}],"$defs":{"n":{"type":"integer"}}}',
          },
        },
      },
    });
    expect(parse({ logprobs: true })).toMatchObject({ asked: { request: { logprobs: 0 } } });
    expect(parse({ response_format: { type: "json_object" } })).toMatchObject({
      asked: { request: { format: { kind: "json" } } },
    });
    expect(parse({ grammar: 'root ::= "yes" | "no"' })).toMatchObject({
      asked: { request: { format: { kind: "grammar", grammar: 'root ::= "yes" | "no"' } } },
    });
  });

  it("parses tools, their calls and their results", () => {
    const parsed = parse({
      messages: [
        { role: "user", content: "Is it warm?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "c1", content: "20 °C" },
      ],
      tools: [weather],
      tool_choice: named("weather"),
    });
    expect(parsed).toMatchObject({
      asked: {
        request: {
          messages: [
            { role: "user" },
            { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "weather", arguments: "{}" }] },
            { role: "tool", content: "20 °C", toolCallId: "c1" },
          ],
          tools: [
            {
              name: "weather",
              description: "Tells it.",
              parameters: JSON.stringify(weather.function.parameters),
            },
          ],
          toolChoice: { name: "weather" },
        },
      },
    });
  });

  it("keeps that an answer has one call, if there are tools", () => {
    const kept = (body: object) =>
      recordOf(recordOf(recordOf(parse(body))["asked"])["request"])["parallelToolCalls"];
    expect(kept({ tools: [weather], parallel_tool_calls: false })).toBe(false);
    expect(kept({ tools: [weather], parallel_tool_calls: true })).toBeUndefined();
    expect(kept({ parallel_tool_calls: false })).toBeUndefined();
  });

  it("takes tools together with a format of the answer", () => {
    const response_format = { type: "json_object" };
    for (const tool_choice of ["auto", "none", "required"]) {
      expect(parse({ response_format, tools: [weather], tool_choice })).toMatchObject({
        asked: {
          request: { format: { kind: "json" }, tools: [{ name: "weather" }], toolChoice: tool_choice },
        },
      });
    }
  });

  it("accepts fields and values that do not change the answer", () => {
    const harmless = {
      user: "u",
      metadata: { a: "b" },
      store: true,
      service_tier: "auto",
      n: 1,
      tools: [],
      tool_choice: "none",
      logprobs: false,
      presence_penalty: 0,
      frequency_penalty: 0,
      logit_bias: {},
      response_format: { type: "text" },
      modalities: ["text"],
      stop: null,
      seed: null,
      audio: null,
      reasoning_effort: "low",
    };
    expect(parse(harmless).kind).toBe("parsed");
  });

  it("takes what clients replay and send to every server", () => {
    const messages = [
      { role: "assistant", content: null, refusal: "I cannot." },
      { role: "assistant", content: "Yes.", refusal: null },
      {
        role: "assistant",
        content: [
          { type: "text", text: "No: " },
          { type: "refusal", refusal: "I will not." },
        ],
      },
    ];
    expect(parse({ messages, max_tokens: 100_000 })).toMatchObject({
      asked: {
        request: {
          messages: [
            { role: "assistant", content: "I cannot." },
            { role: "assistant", content: "Yes." },
            { role: "assistant", content: "No: I will not." },
          ],
          maxTokens: limits.maxTokens,
        },
      },
    });
  });

  it.each([2 ** 31 - 1, Number.MAX_SAFE_INTEGER, 2 ** 63 - 1, 1e308])(
    "cuts a bound of %d tokens, and does not refuse it",
    (most) => {
      const messages = [{ role: "user", content: "Hi" }];
      for (const name of ["max_tokens", "max_completion_tokens"])
        expect(parse({ messages, [name]: most })).toMatchObject({
          asked: { request: { maxTokens: limits.maxTokens } },
        });
    },
  );

  it("refuses an endless bound of tokens", () => {
    const json = '{"messages":[{"role":"user","content":"Hi"}],"max_tokens":1e999}';
    expect(parseChat(json)).toMatchObject({ refusal: { param: "max_tokens" } });
  });

  it("takes a function without parameters", () => {
    const tool = { type: "function", function: { name: "now" } };
    expect(parse({ tools: [tool] })).toMatchObject({ asked: { request: { tools: [{ name: "now" }] } } });
    const flat = { type: "function", name: "now" };
    expect(parseResponse(JSON.stringify({ input: "Hi", tools: [flat] }))).toMatchObject({
      asked: { request: { tools: [{ name: "now" }] } },
    });
  });

  it("relaxes the schema of a tool, unless it is strict", () => {
    const parameters = { type: "object", properties: { n: { type: "integer", minimum: 1 } } };
    const toolWith = (strict: boolean | null) => ({
      tools: [{ type: "function", function: { name: "f", parameters, strict } }],
    });
    expect(parse(toolWith(null))).toMatchObject({
      asked: { request: { tools: [{ parameters: expect.stringContaining("(minimum: 1)") as string }] } },
    });
    const unenforceable = {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`p${n}`, {}])),
    };
    const large = {
      tools: [
        { type: "function", function: { name: "f", description: "Does it.", parameters: unenforceable } },
      ],
    };
    expect(parse(large)).toMatchObject({
      asked: {
        request: {
          tools: [
            {
              description: expect.stringMatching(/^Does it\.\nArguments: \{"type":"object"/) as string,
              parameters: '{"type":"object","additionalProperties":true}',
            },
          ],
        },
      },
    });
    const strict = '{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}';
    expect(parse(toolWith(true))).toMatchObject({
      asked: { request: { tools: [{ name: "f", parameters: strict }] } },
    });
  });

  it("relaxes the schema of an answer, unless it is strict", () => {
    const formatOf = (schema: unknown, strict: boolean) => {
      const parsed = parse({ response_format: schemaOf(schema, strict) });
      return parsed.kind === "parsed" ? parsed.asked.request.format : parsed.refusal.param;
    };
    const list = { type: "array", items: { type: "string", pattern: "^a" }, uniqueItems: true };
    const relaxed = {
      type: "array",
      items: { type: "string", description: "(pattern: ^a)" },
      description: "(uniqueItems: true)",
    };
    expect(formatOf(list, false)).toEqual({ kind: "json-schema", schema: JSON.stringify(relaxed) });
    expect(formatOf(list, true)).toEqual({ kind: "json-schema", schema: JSON.stringify(list) });
    const response_format = { type: "json_object", schema: list };
    expect(parse({ response_format })).toMatchObject({
      asked: { request: { format: { kind: "json-schema", schema: JSON.stringify(relaxed) } } },
    });
    expect(parse({ response_format: { ...response_format, schema: 3 } })).toMatchObject({
      refusal: { param: "response_format.schema" },
    });
    const negated = { type: "array", items: { not: {} } };
    expect(formatOf(negated, true)).toBe("response_format.json_schema.schema.items.not");
    expect(formatOf(negated, false)).toMatchObject({ kind: "json-schema" });
    const many = { type: "array", prefixItems: Array(600).fill({ type: "string", pattern: "a" }) };
    expect(formatOf(many, false)).toEqual({ kind: "json-schema", schema: '{"type":"array"}' });
  });

  it.each([
    ["model", { model: "" }, "invalid_value"],
    ["model", { model: 7 }, "invalid_type"],
    ["messages", { messages: undefined }, "missing_required_parameter"],
    ["messages", { messages: [] }, "invalid_value"],
    [
      "messages",
      { messages: Array(limits.messages + 1).fill({ role: "user", content: "" }) },
      "invalid_value",
    ],
    ["messages[0].role", { messages: [{ role: "narrator", content: "x" }] }, "unsupported_value"],
    ["messages[0].role", { messages: [{ content: "x" }] }, "missing_required_parameter"],
    ["tools[0].type", { tools: [{ function: weather.function }] }, "missing_required_parameter"],
    [
      "messages[0].tool_call_id",
      { messages: [{ role: "tool", content: "x" }] },
      "missing_required_parameter",
    ],
    ["messages[0].content", { messages: [{ role: "assistant" }] }, "missing_required_parameter"],
    ["messages[0].content", { messages: [{ role: "user" }] }, "missing_required_parameter"],
    ["messages[0].content", { messages: [{ role: "user", content: null }] }, "invalid_type"],
    ["messages[0].content", { messages: [{ role: "user", content: "\ud800" }] }, "invalid_value"],
    [
      "messages[0].content[0].type",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }] },
      "unsupported_value",
    ],
    [
      "messages[0].content[0].type",
      { messages: [{ role: "user", content: [{ type: "refusal", refusal: "x" }] }] },
      "unsupported_value",
    ],
    [
      "messages[0].content[0].type",
      { messages: [{ role: "assistant", content: [{ type: "audio" }] }] },
      "unsupported_value",
    ],
    [
      "messages[0].tool_calls",
      { messages: [{ role: "user", content: "", tool_calls: [{ id: "1" }] }] },
      "unsupported_parameter",
    ],
    [
      "messages[0].images",
      { messages: [{ role: "user", content: "What is this?", images: ["aGk="] }] },
      "unsupported_parameter",
    ],
    [
      "messages[1].images",
      {
        messages: [
          { role: "user", content: "Look." },
          { role: "tool", content: "", tool_call_id: "1", images: ["aGk="] },
        ],
      },
      "unsupported_parameter",
    ],
    ["max_tokens", { max_tokens: 0 }, "invalid_value"],
    ["max_tokens", { max_tokens: 1.5 }, "invalid_type"],
    ["max_completion_tokens", { max_completion_tokens: -(2 ** 63) }, "invalid_value"],
    ["temperature", { temperature: 3 }, "invalid_value"],
    ["temperature", { temperature: "hot" }, "invalid_type"],
    ["top_p", { top_p: -1 }, "invalid_value"],
    ["seed", { seed: 1.5 }, "invalid_type"],
    ["stop", { stop: ["a", "b", "c", "d", "e"] }, "invalid_value"],
    ["stop", { stop: "x".repeat(limits.stopBytes + 1) }, "invalid_value"],
    ["stop[1]", { stop: ["a", ""] }, "invalid_value"],
    ["stream", { stream: "yes" }, "invalid_type"],
    ["service_tier", { service_tier: 1 }, "invalid_type"],
    ["n", { n: 9 }, "invalid_value"],
    ["response_format.type", { response_format: { type: "xml" } }, "unsupported_value"],
    [
      "response_format.json_schema.schema.properties.a.not",
      { response_format: schemaOf({ type: "object", properties: { a: { not: {} } } }) },
      "invalid_value",
    ],
    ["response_format.json_schema.schema", { response_format: schemaOf(7, false) }, "invalid_value"],
    [
      "response_format.json_schema",
      { response_format: { type: "json_schema" } },
      "missing_required_parameter",
    ],
    ["grammar", { grammar: "root ::= (" }, "invalid_value"],
    ["grammar", { grammar: 'root ::= "a"', response_format: { type: "json_object" } }, "invalid_value"],
    ["top_k", { top_k: -1 }, "invalid_value"],
    ["min_p", { min_p: 2 }, "invalid_value"],
    ["repeat_penalty", { repeat_penalty: 9 }, "invalid_value"],
    ["modalities[1]", { modalities: ["text", "audio"] }, "unsupported_value"],
    ["top_logprobs", { top_logprobs: 3 }, "invalid_value"],
    ["top_logprobs", { logprobs: true, top_logprobs: 21 }, "invalid_value"],
    ["presence_penalty", { presence_penalty: 3 }, "invalid_value"],
    ["frequency_penalty", { frequency_penalty: -3 }, "invalid_value"],
    ["logit_bias.50256", { logit_bias: { "50256": -101 } }, "invalid_value"],
    ["logit_bias.word", { logit_bias: { word: 1 } }, "invalid_value"],
    ["tools[0].type", { tools: [{ ...weather, type: "web" }] }, "unsupported_value"],
    ["tools[0].function", { tools: [{ type: "function" }] }, "missing_required_parameter"],
    ["tools[0].function.name", { tools: [named("no name")] }, "invalid_value"],
    ["tools", { tools: [weather, weather] }, "invalid_value"],
    ["tool_choice", { tool_choice: "required" }, "invalid_value"],
    ["tool_choice", { tools: [weather], tool_choice: named("other") }, "invalid_value"],
    ["tool_choice", { tools: [weather], tool_choice: "some" }, "unsupported_value"],
    ["functions", { functions: [{ name: "f" }] }, "unsupported_parameter"],
    ["audio", { audio: { voice: "x" } }, "unsupported_parameter"],
    ["prediction", { prediction: { type: "content" } }, "unsupported_parameter"],
    ["web_search_options", { web_search_options: {} }, "unsupported_parameter"],
  ])("refuses a chat with an invalid %s (case %#)", (param, fields, code) => {
    const parsed = parse(fields);
    expect(parsed).toMatchObject({ kind: "refused", refusal: { status: 400, param, code } });
    if (parsed.kind === "refused") expect(parsed.refusal.message).toContain(`'${param}'`);
  });

  it.each([["{"], [""], ["[]"], ['"text"'], ["null"], ["7"]])(
    "refuses the body %s, which is no JSON object",
    (json) => {
      expect(parseChat(json)).toMatchObject({ kind: "refused", refusal: { status: 400, param: null } });
    },
  );

  it.each([
    [{ votes: 3 }, { votes: 3, escalate: true }],
    [
      { votes: 2, escalate: false },
      { votes: 2, escalate: false },
    ],
    [{ votes: 1 }, null],
    [{ escalate: true }, null],
    [{}, null],
    [null, null],
  ])("reads the votes that a call wants: %j", (own, vote) => {
    expect(parse({ x_gleaner: own })).toMatchObject({ kind: "parsed", asked: { vote } });
  });

  it.each([
    [{ x_gleaner: { votes: 6 } }, "invalid_value", "x_gleaner.votes"],
    [{ x_gleaner: { votes: 0 } }, "invalid_value", "x_gleaner.votes"],
    [{ x_gleaner: { votes: "3" } }, "invalid_type", "x_gleaner.votes"],
    [{ x_gleaner: { vote: 3 } }, "unknown_parameter", "x_gleaner.vote"],
    [{ x_gleaner: { votes: 3 }, n: 2 }, "invalid_value", "x_gleaner.votes"],
    [{ x_gleaner: { votes: 3 }, temperature: 0 }, "invalid_value", "x_gleaner.votes"],
    [{ x_gleaner: { votes: 3 }, top_k: 1 }, "invalid_value", "x_gleaner.votes"],
  ])("refuses votes that cannot be: %j", (fields, code, param) => {
    expect(parse(fields)).toMatchObject({ kind: "refused", refusal: { status: 400, code, param } });
  });

  it("accepts descriptions of tools as long as those of agents, up to a bound", () => {
    const described = (chars: number) =>
      parse({
        messages: [{ role: "user", content: "x" }],
        tools: [{ type: "function", function: { name: "f", description: "d".repeat(chars) } }],
      });
    expect(described(20_000).kind).toBe("parsed");
    expect(described(40_000)).toMatchObject({
      refusal: { param: "tools[0].function.description" },
    });
  });

  it("limits the bytes of all messages of a chat together", () => {
    const half = "é".repeat(limits.promptBytes / 4);
    const messages = [
      { role: "user", content: half },
      { role: "user", content: half },
    ];
    expect(parse({ messages }).kind).toBe("parsed");
    expect(parse({ messages: [...messages, { role: "user", content: "x" }] })).toMatchObject({
      refusal: { status: 413, code: "request_too_large", param: "messages" },
    });
  });
});
