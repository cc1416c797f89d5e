import { z } from "zod";
import type { ChatMessage, ChatRequest } from "./chat.ts";
import { limits } from "./limits.ts";

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

const text = z.string().refine((value) => !/\p{Surrogate}/u.test(value), "must be well-formed Unicode");

const contentPart = z.object({
  type: z.literal("text", { error: 'only parts of type "text" are supported' }),
  text,
});

const message = z.object({
  role: z.enum(["system", "developer", "user", "assistant"], {
    error: 'must be "system", "developer", "user" or "assistant"',
  }),
  content: z.union([text, z.array(contentPart).min(1)]),
  tool_calls: absent("tool calls are not supported"),
  function_call: absent("function calls are not supported"),
  audio: absent("audio is not supported"),
});

const stopString = text
  .min(1)
  .refine(
    (value) => utf8Length(value) <= limits.stopBytes,
    `must have at most ${String(limits.stopBytes)} bytes`,
  );

const tokens = z.number().int().min(1).max(limits.maxTokens);

/** OpenAI's fields. Those that would change the answer and are not served are refused, others are ignored. */
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
  response_format: z.object({ type: z.literal("text", { error: 'only "text" is supported' }) }).nullish(),
  modalities: z.array(z.literal("text", { error: 'only "text" is supported' })).nullish(),
  logprobs: z.literal(false, { error: "log probabilities are not supported" }).nullish(),
  top_logprobs: z.literal(0, { error: "log probabilities are not supported" }).nullish(),
  presence_penalty: z.literal(0, { error: "only 0 is supported" }).nullish(),
  frequency_penalty: z.literal(0, { error: "only 0 is supported" }).nullish(),
  logit_bias: z.record(z.string(), z.never({ error: "token biases are not supported" })).nullish(),
  tools: absent("tools are not supported"),
  tool_choice: z.enum(["none", "auto"], { error: "tools are not supported" }).nullish(),
  functions: absent("functions are not supported"),
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

function toMessage({ role, content }: z.infer<typeof message>): ChatMessage {
  return {
    role: role === "developer" ? "system" : role,
    content: typeof content === "string" ? content : content.map((part) => part.text).join(""),
  };
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
    case "invalid_value":
      return "unsupported_value";
    case "custom":
      return issue.params?.["unsupported"] === true ? "unsupported_parameter" : "invalid_value";
    default:
      return "invalid_value";
  }
}
