import fc from "fast-check";
import { hostileText, spoiled } from "./hostile.ts";
import type { Json } from "./target.ts";

/** Grammars of pieces that are expensive together. */
const grammar: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.constantFrom('"ab"', "[a-z]", ".", "x", "(x | .)", '("a"? .{0,500})', '"<|im_end|>"', "root"),
      fc.constantFrom("", "?", "*", "+", "{500}", "{0,500}", "{500}{500}", "{3,}", "{999999999}"),
    ),
    { minLength: 1, maxLength: 900 },
  )
  .map((pieces) => `root ::= ${pieces.map((piece) => piece.join("")).join(" ")}\nx ::= "x" | x`);

const typeName = fc.constantFrom("object", "array", "string", "integer", "null", "any");
const keyword = fc.constantFrom(
  "pattern",
  "minimum",
  "format",
  "not",
  "if",
  "constructor",
  "__proto__",
  "minLength",
);

const schema: fc.Arbitrary<Json> = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>({ type: "string" }, { type: "integer" }, { $ref: "#/$defs/a" }, { $ref: "#" }, {}),
    fc.record({ type: fc.constant("string"), minLength: fc.nat(900), maxLength: fc.nat(900) }),
    fc.array(hostileText, { maxLength: 5 }).map((all): Json => ({ enum: all })),
    fc.array(tie("schema"), { maxLength: 20 }).map((all): Json => ({ oneOf: all })),
    fc
      .tuple(tie("schema"), fc.nat(600))
      .map(([items, minItems]): Json => ({ type: "array", items, minItems })),
    fc
      .array(fc.tuple(hostileText, tie("schema")), { maxLength: 6 })
      .map((all): Json => ({ type: "object", properties: Object.fromEntries(all) })),
    fc.tuple(tie("schema"), tie("schema")).map(([top, a]): Json => ({ anyOf: [top], $defs: { a } })),
    fc.array(tie("schema"), { maxLength: 4 }).map((all): Json => ({ allOf: all })),
    fc
      .tuple(fc.array(typeName, { maxLength: 20 }), keyword, hostileText, tie("schema"))
      .map(([type, name, value, a]): Json => ({ type, [name]: value, properties: { a }, items: a })),
  ),
})).schema;

const message: fc.Arbitrary<Json> = fc.record({
  role: fc.constantFrom("system", "user", "assistant", "tool"),
  content: hostileText,
});

/** Of the Responses API. */
const item: fc.Arbitrary<Json> = fc.oneof(
  message,
  fc.record({
    type: fc.constant("function_call"),
    call_id: hostileText,
    name: hostileText,
    arguments: hostileText,
  }),
  fc.record({ type: fc.constant("function_call_output"), call_id: hostileText, output: hostileText }),
  fc.constant({ type: "reasoning", summary: [] }),
);

/** Of Anthropic's Messages API. */
const turn: fc.Arbitrary<Json> = fc.record({
  role: fc.constantFrom("user", "assistant"),
  content: fc.oneof(
    hostileText,
    fc.array(
      fc.oneof(
        hostileText.map((text): Json => ({ type: "text", text })),
        fc.tuple(hostileText, hostileText).map(([id, key]): Json => ({
          type: "tool_use",
          id,
          name: "look",
          input: { [key]: 1 },
        })),
        hostileText.map((id): Json => ({ type: "tool_result", tool_use_id: id, content: "x" })),
      ),
      { maxLength: 5 },
    ),
  ),
});

const sampling = {
  max_tokens: fc.integer({ min: 1, max: 8 }),
  temperature: fc.constantFrom(0, 0.7, 2),
  stop: fc.array(hostileText, { maxLength: 3 }),
  seed: fc.integer(),
  stream: fc.boolean(),
  n: fc.integer({ min: 0, max: 9 }),
  user: hostileText,
};

const format: fc.Arbitrary<Json> = fc.oneof(
  fc.constant({ type: "json_object" }),
  schema.map((each): Json => ({
    type: "json_schema",
    json_schema: { name: "answer", strict: true, schema: each },
  })),
);

const tool: fc.Arbitrary<Json> = fc
  .tuple(fc.constantFrom("look", "look up", "\u0000"), schema, fc.constantFrom(true, false, null))
  .map(([name, parameters, strict]): Json => ({ type: "function", function: { name, parameters, strict } }));

const calledTool: fc.Arbitrary<Json> = fc
  .tuple(hostileText, hostileText)
  .map(([name, key]): Json => ({ function: { name, arguments: { [key]: 1 } } }));

/** Of Ollama's API. */
const ollamaMessage: fc.Arbitrary<Json> = fc.record(
  {
    role: fc.constantFrom("system", "user", "assistant", "tool"),
    content: hostileText,
    tool_calls: fc.array(calledTool, { maxLength: 3 }),
    tool_name: hostileText,
    tool_call_id: hostileText,
  },
  { requiredKeys: ["role", "content"] },
);
const ollamaFields = {
  stream: fc.boolean(),
  format: fc.oneof(fc.constantFrom("", "json"), schema),
  keep_alive: fc.constantFrom("5m", 0),
  options: fc.record(
    {
      num_predict: fc.constantFrom(-2, -1, 1, 8),
      temperature: fc.constantFrom(0, 0.7, 2),
      stop: fc.oneof(hostileText, fc.array(hostileText, { maxLength: 3 })),
      num_ctx: fc.nat(),
    },
    { requiredKeys: [] },
  ),
};

type BodyPath =
  | "/v1/chat/completions"
  | "/v1/responses"
  | "/v1/messages"
  | "/v1/completions"
  | "/v1/embeddings"
  | "/api/chat"
  | "/api/generate"
  | "/api/embed"
  | "/api/show";

/** Bodies of the HTTP API's calls: most of them nearly valid. */
export function bodiesFor(model: string): Readonly<Record<BodyPath, fc.Arbitrary<Json>>> {
  const models = fc.oneof(
    { weight: 20, arbitrary: fc.constant(model) },
    { weight: 1, arbitrary: hostileText },
  );
  const optional = { requiredKeys: ["model", "messages"] as ["model", "messages"] };
  const chat = fc.record(
    {
      model: models,
      messages: fc.array(message, { minLength: 1, maxLength: 4 }),
      ...sampling,
      response_format: format,
      grammar,
      tools: fc.array(tool, { maxLength: 4 }),
      tool_choice: fc.constantFrom("none", "auto", "required"),
      logprobs: fc.boolean(),
      top_logprobs: fc.nat(30),
      logit_bias: fc.dictionary(fc.nat(70_000).map(String), fc.integer({ min: -100, max: 100 })),
    },
    optional,
  ) as fc.Arbitrary<Json>;
  const response = fc.record(
    {
      model: models,
      input: fc.oneof(hostileText, fc.array(item, { minLength: 1, maxLength: 6 })),
      instructions: hostileText,
      max_output_tokens: fc.integer({ min: 1, max: 8 }),
      stream: fc.boolean(),
      background: fc.boolean(),
      tools: fc.array(
        fc
          .tuple(fc.constantFrom("look", "look up"), schema, fc.boolean())
          .map(([name, parameters, strict]): Json => ({ type: "function", name, parameters, strict })),
        { maxLength: 4 },
      ),
      tool_choice: fc.constantFrom("none", "auto", "required"),
      text: schema.map((each): Json => ({ format: { type: "json_schema", name: "answer", schema: each } })),
      metadata: fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
    },
    { requiredKeys: ["model", "input"] },
  ) as fc.Arbitrary<Json>;
  const turns = fc.record(
    {
      model: models,
      max_tokens: fc.integer({ min: 1, max: 8 }),
      messages: fc.array(turn, { minLength: 1, maxLength: 4 }),
      system: hostileText,
      stop_sequences: fc.array(hostileText, { maxLength: 3 }),
      stream: fc.boolean(),
      tools: fc.array(
        fc
          .tuple(fc.constantFrom("look", "look up"), schema)
          .map(([name, input_schema]): Json => ({ name, input_schema })),
        { maxLength: 4 },
      ),
      output_config: schema.map((each): Json => ({ format: { type: "json_schema", schema: each } })),
    },
    { requiredKeys: ["model", "max_tokens", "messages"] },
  ) as fc.Arbitrary<Json>;
  const completion = fc.record(
    { model: models, prompt: hostileText, ...sampling, grammar },
    { requiredKeys: ["model", "prompt"] },
  ) as fc.Arbitrary<Json>;
  const embedding = fc.record({
    model: models,
    input: fc.oneof(hostileText, fc.array(hostileText, { maxLength: 6 })),
  }) as fc.Arbitrary<Json>;
  const ollamaChat = fc.record(
    {
      model: models,
      messages: fc.array(ollamaMessage, { minLength: 1, maxLength: 4 }),
      tools: fc.array(tool, { maxLength: 4 }),
      ...ollamaFields,
    },
    optional,
  ) as fc.Arbitrary<Json>;
  const ollamaPrompt = fc.record(
    { model: models, prompt: hostileText, system: hostileText, raw: fc.boolean(), ...ollamaFields },
    { requiredKeys: ["model", "prompt"] },
  ) as fc.Arbitrary<Json>;
  const mostlyValid = (body: fc.Arbitrary<Json>): fc.Arbitrary<Json> => fc.oneof(body, spoiled(body));
  return {
    "/v1/chat/completions": mostlyValid(chat),
    "/v1/responses": mostlyValid(response),
    "/v1/messages": mostlyValid(turns),
    "/v1/completions": mostlyValid(completion),
    "/v1/embeddings": mostlyValid(embedding),
    "/api/chat": mostlyValid(ollamaChat),
    "/api/generate": mostlyValid(ollamaPrompt),
    "/api/embed": mostlyValid(embedding),
    "/api/show": mostlyValid(fc.record({ model: models }) as fc.Arbitrary<Json>),
  };
}
