import { z } from "zod";
import type { ChatMessage, ChatRequest } from "./chat.ts";
import { grammarLimits, grammarMistake } from "./gbnf.ts";
import { limits } from "./limits.ts";
import { callId, jsonSchema, toChatTool, toolCalls, toolChoice, tools, toToolChoice } from "./parse-tools.ts";
import type { AnswerFormat } from "./sampling.ts";

/** OpenAI's tiers as the queue's priorities: what costs more goes first, what may wait goes last. */
const priorities = { priority: "high", flex: "low" } as const;

/** A chat completion as it was asked for over HTTP. Null: the requester left it to us. */
export type ParsedChat = {
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly priority: "high" | "normal" | "low";
  readonly request: Omit<ChatRequest, "maxTokens" | "seed"> & {
    readonly maxTokens: number | null;
    readonly seed: number | null;
  };
};

/** Why a body is refused, in the terms of OpenAI's error object. */
export type ChatRefusal = {
  readonly status: 400 | 413;
  readonly code: string;
  /** The field at fault, e.g. "messages[2].content"; null for the whole body. */
  readonly param: string | null;
  readonly message: string;
};

export type ChatParse =
  | { readonly kind: "parsed"; readonly chat: ParsedChat }
  | { readonly kind: "refused"; readonly refusal: ChatRefusal };

/** What zod says of a field that is not there; errors are told apart by it. */
const missing = "Invalid input: expected string, received undefined";

const text = z.string().refine((value) => !/\p{Surrogate}/u.test(value), "must be well-formed Unicode");

const contentPart = z.object({
  type: z.literal("text", { error: 'only parts of type "text" are supported' }),
  text,
});

const content = z.union([text, z.array(contentPart).min(1)]);
const unserved = {
  function_call: absent("function calls are not supported, tool calls are"),
  audio: absent("audio is not supported"),
};

const message = z.discriminatedUnion(
  "role",
  [
    z.object({
      role: z.enum(["system", "developer", "user"]),
      content,
      tool_calls: absent("only the assistant calls tools"),
      ...unserved,
    }),
    z
      .object({
        role: z.literal("assistant"),
        content: content.nullish(),
        tool_calls: toolCalls.nullish(),
        ...unserved,
      })
      .superRefine((value, context) => {
        if (value.content != null || (value.tool_calls?.length ?? 0) > 0) return;
        const input = value.content;
        if (input === undefined) {
          context.addIssue({
            code: "invalid_type",
            expected: "string",
            path: ["content"],
            input,
            message: missing,
          });
        } else context.addIssue({ code: "invalid_type", expected: "string", path: ["content"], input });
      }),
    z.object({ role: z.literal("tool"), content, tool_call_id: callId, ...unserved }),
  ],
  { error: 'must be "system", "developer", "user", "assistant" or "tool"' },
);

const stopString = text
  .min(1)
  .refine(
    (value) => utf8Length(value) <= limits.stopBytes,
    `must have at most ${String(limits.stopBytes)} bytes`,
  );

const tokens = z.number().int().min(1).max(limits.maxTokens);

const responseFormat = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text") }),
    z.object({ type: z.literal("json_object") }),
    z.object({ type: z.literal("json_schema"), json_schema: z.object({ schema: jsonSchema }) }),
  ],
  { error: 'must be "text", "json_object" or "json_schema"' },
);

/** llama.cpp's own field. */
const grammar = text.max(grammarLimits.chars).superRefine((value, context) => {
  const mistake = grammarMistake(value);
  if (mistake !== null) context.addIssue({ code: "custom", message: `is no grammar: ${mistake}` });
});

const tokenId = z.string().regex(/^\d{1,7}$/, "must be the id of a token");
const penalty = z.number().min(-2).max(2).nullish();

/** OpenAI's fields, and a few more of llama.cpp's. Those that would change the answer and are not served are refused, others are ignored. */
const body = z.object({
  model: text.min(1).max(200),
  messages: z.array(message).min(1).max(limits.messages),
  max_tokens: tokens.nullish(),
  max_completion_tokens: tokens.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  seed: z.number().int().nullish(),
  stop: z.union([stopString, z.array(stopString).max(limits.stopStrings)]).nullish(),
  stream: z.boolean().nullish(),
  service_tier: text.max(40).nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, { error: "only 1 is supported" }).nullish(),
  top_k: z.number().int().min(0).max(limits.topK).nullish(),
  min_p: z.number().min(0).max(1).nullish(),
  repeat_penalty: z.number().min(0.5).max(2).nullish(),
  response_format: responseFormat.nullish(),
  grammar: grammar.nullish(),
  modalities: z.array(z.literal("text", { error: 'only "text" is supported' })).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().int().min(0).max(limits.logprobs).nullish(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  logit_bias: z
    .record(tokenId, z.number().min(-100).max(100))
    .refine(
      (value) => Object.keys(value).length <= limits.logitBiases,
      `at most ${String(limits.logitBiases)} are taken`,
    )
    .nullish(),
  tools: tools.nullish(),
  tool_choice: toolChoice.nullish(),
  functions: absent("functions are not supported, tools are"),
  function_call: z.enum(["none", "auto"], { error: "functions are not supported" }).nullish(),
  audio: absent("audio is not supported"),
  prediction: absent("predicted outputs are not supported"),
  web_search_options: absent("web search is not supported"),
});

/** Parses and bounds the body of POST /v1/chat/completions. Pure: it neither chooses a seed nor knows the models. */
export function parseChat(json: string): ChatParse {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return refuse(400, "invalid_json", null, "The body is not valid JSON.");
  }
  const parsed = body.safeParse(value);
  if (!parsed.success) return refuseIssue(parsed.error.issues[0]);
  const asked = parsed.data;

  const clash = clashOf(asked);
  if (clash !== null)
    return refuse(400, "invalid_value", clash.param, `Invalid '${clash.param}': ${clash.why}.`);

  const messages = asked.messages.map(toMessage);
  const promptBytes = messages.reduce((sum, { content }) => sum + utf8Length(content), 0);
  if (promptBytes > limits.promptBytes) {
    const most = String(limits.promptBytes);
    const said = `The messages have ${String(promptBytes)} bytes; at most ${most} are taken.`;
    return refuse(413, "request_too_large", "messages", said);
  }
  return {
    kind: "parsed",
    chat: {
      model: asked.model,
      stream: asked.stream ?? false,
      includeUsage: asked.stream_options?.include_usage ?? false,
      priority: priorityOf(asked.service_tier ?? "auto"),
      request: {
        messages,
        maxTokens: asked.max_completion_tokens ?? asked.max_tokens ?? null,
        temperature: asked.temperature ?? 1,
        topP: asked.top_p ?? 1,
        // 31 bits: the largest unsigned values mean "random" to llama.cpp.
        seed: asked.seed == null ? null : Math.abs(asked.seed) % 2 ** 31,
        stop: typeof asked.stop === "string" ? [asked.stop] : (asked.stop ?? []),
        ...given({
          topK: asked.top_k,
          minP: asked.min_p,
          repeatPenalty: asked.repeat_penalty,
          frequencyPenalty: asked.frequency_penalty === 0 ? null : asked.frequency_penalty,
          presencePenalty: asked.presence_penalty === 0 ? null : asked.presence_penalty,
          logitBias: biasesOf(asked.logit_bias ?? {}),
          logprobs: asked.logprobs === true ? (asked.top_logprobs ?? 0) : null,
          format: formatOf(asked),
          tools: asked.tools == null || asked.tools.length === 0 ? null : asked.tools.map(toChatTool),
          toolChoice:
            asked.tool_choice == null || !asked.tools?.length ? null : toToolChoice(asked.tool_choice),
        }),
      },
    },
  };
}

/** Tiers that are not known here, like OpenAI's own "auto" and "default", are served as everybody else. */
function priorityOf(tier: string): ParsedChat["priority"] {
  return tier === "priority" || tier === "flex" ? priorities[tier] : "normal";
}

/** UTF-8 bytes of well-formed text. */
export function utf8Length(value: string): number {
  let bytes = 0;
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
  }
  return bytes;
}

type Body = z.infer<typeof body>;

/** Fields that ask for what cannot be had together. */
function clashOf(asked: Body): { readonly param: string; readonly why: string } | null {
  const offered = (asked.tools ?? []).map((tool) => tool.function.name);
  if (new Set(offered).size < offered.length)
    return { param: "tools", why: "two of them have the same name" };
  const choice = asked.tool_choice ?? "auto";
  if (choice === "required" && offered.length === 0) {
    return { param: "tool_choice", why: "there are no tools to choose from" };
  }
  if (typeof choice === "object" && !offered.includes(choice.function.name)) {
    return { param: "tool_choice", why: "it is none of the tools" };
  }
  const format = formatOf(asked);
  if (format !== null && asked.grammar != null && (asked.response_format?.type ?? "text") !== "text") {
    return { param: "grammar", why: "response_format asks for another one" };
  }
  if (format !== null && offered.length > 0 && choice !== "none") {
    return { param: "response_format", why: "it cannot be enforced together with tools" };
  }
  if ((asked.top_logprobs ?? 0) > 0 && asked.logprobs !== true) {
    return { param: "top_logprobs", why: "logprobs must be true for it" };
  }
  return null;
}

function formatOf({ response_format: format, grammar: rules }: Body): AnswerFormat | null {
  if (format?.type === "json_object") return { kind: "json" };
  if (format?.type === "json_schema") return { kind: "json-schema", schema: format.json_schema.schema };
  return rules == null ? null : { kind: "grammar", grammar: rules };
}

function biasesOf(biases: Readonly<Record<string, number>>): ChatRequest["logitBias"] | null {
  const all = Object.entries(biases).map(([token, bias]) => ({ token: Number(token), bias }));
  return all.length === 0 ? null : all;
}

type Given<T> = { readonly [Field in keyof T]?: NonNullable<T[Field]> };

/** Without the fields that were not given. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Given<T>;
}

function toMessage(asked: Body["messages"][number]): ChatMessage {
  const said = textOf(asked.content ?? "");
  switch (asked.role) {
    case "tool":
      return { role: asked.role, content: said, toolCallId: asked.tool_call_id };
    case "assistant": {
      const calls = (asked.tool_calls ?? []).map(({ id, function: call }) => ({ id, ...call }));
      return { role: asked.role, content: said, ...(calls.length === 0 ? {} : { toolCalls: calls }) };
    }
    case "developer":
      return { role: "system", content: said };
    default:
      return { role: asked.role, content: said };
  }
}

function textOf(said: z.infer<typeof content>): string {
  return typeof said === "string" ? said : said.map((part) => part.text).join("");
}

/** A field that is not served: absent, null or an empty list, all of which ask for nothing. */
function absent(reason: string) {
  const asksForNothing = (value: unknown): boolean =>
    value == null || (Array.isArray(value) && value.length === 0);
  return z.custom<unknown>(asksForNothing, { error: reason, params: { unsupported: true } }).optional();
}

function refuse(status: 400 | 413, code: string, param: string | null, message: string): ChatParse {
  return { kind: "refused", refusal: { status, code, param, message } };
}

function refuseIssue(issue: z.core.$ZodIssue | undefined): ChatParse {
  const deepest = issue === undefined ? undefined : deepestOf(issue, []);
  const param = deepest === undefined ? "" : pathName(deepest.path);
  if (deepest === undefined || param === "") {
    return refuse(400, "invalid_request_body", null, "The body must be a JSON object.");
  }
  return refuse(400, codeOf(deepest.issue), param, `Invalid '${param}': ${deepest.issue.message}.`);
}

type Located = { readonly issue: z.core.$ZodIssue; readonly path: readonly PropertyKey[] };

/** In a union, the issue of the branch that went furthest: it knows what the requester meant. */
function deepestOf(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): Located {
  const path = [...base, ...issue.path];
  if (issue.code !== "invalid_union") return { issue, path };
  const inner = issue.errors.flatMap((branch) => branch.map((each) => deepestOf(each, path)));
  return inner.reduce((best, each) => (reach(each) > reach(best) ? each : best), inner[0] ?? { issue, path });
}

/** A value of the right type that is out of bounds went further than one of another type. */
function reach({ issue, path }: Located): number {
  return 2 * path.length + (issue.code === "invalid_type" ? 0 : 1);
}

function pathName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${String(part)}]`;
    return name === "" ? String(part) : `${name}.${String(part)}`;
  }, "");
}

function codeOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.expected === "never") return "unsupported_value";
      return issue.message.endsWith("received undefined") ? "missing_required_parameter" : "invalid_type";
    case "invalid_union": // What tells the branches apart is of none of them.
    case "invalid_value":
      return "unsupported_value";
    case "custom":
      return issue.params?.["unsupported"] === true ? "unsupported_parameter" : "invalid_value";
    default:
      return "invalid_value";
  }
}
