import * as z from "zod";
import { tokenizeFields } from "../../fields/tokens.ts";
import type { JobPriority } from "../priority.ts";
import type { TokensRequest } from "../work.ts";
import {
  absent,
  type BodyParse,
  parseBody,
  refuse,
  refuseField,
  refuseSize,
  requestBody,
  text,
} from "./parse-body.ts";
import { chatMessages, toMessage } from "./parse-chat.ts";
import { given, modelName, priorityOf, serviceTier } from "./parse-sampling.ts";
import { tools } from "./parse-tools.ts";

/** A request for tokens, as received over HTTP. */
export type ParsedTokens = {
  /** Null if the requester named none. */
  readonly model: string | null;
  readonly priority: JobPriority;
  readonly request: TokensRequest;
};

const noTemplate = absent("the catalog sets a model's template, for all requests");

export const tokenizeBody = requestBody(
  tokenizeFields,
  {
    model: modelName,
    prompt: text.min(1).nullish(),
    messages: chatMessages.nullish(),
    tools: tools.nullish(),
    add_special_tokens: z.boolean().nullish(),
    add_generation_prompt: z.literal(true, { error: "only true is supported" }).nullish(),
    continue_final_message: z.literal(false, { error: "only false is supported" }).nullish(),
    return_token_strs: z.literal(false, { error: "only the ids are given" }).nullish(),
    chat_template: noTemplate,
    chat_template_kwargs: noTemplate,
    service_tier: serviceTier,
  },
  ["prompt", "messages"],
);

/** Parses and bounds the body of POST /v1/tokenize. Does not check the model. */
export function parseTokenize(json: string): BodyParse<ParsedTokens> {
  const parsed = parseBody(tokenizeBody, json);
  if (parsed.kind === "refused") return parsed;
  const { prompt, messages, tools: offered, add_special_tokens: special, ...asked } = parsed.asked;
  const hasTools = offered != null && offered.length > 0;
  if (messages == null) {
    if (prompt == null) return missing;
    if (hasTools) return refuseField("tools", "only a chat has tools, so messages are needed");
    const request = { tokenize: prompt, addSpecial: special ?? true };
    return refuseSize("prompt", [prompt]) ?? withCall(asked, request);
  }
  if (prompt != null) return refuseField("messages", "only one of prompt and messages is accepted");
  if (special === true) return refuseField("add_special_tokens", "the template of a chat adds them");
  const chat = messages.map(toMessage);
  const tooLong = refuseSize(
    "messages",
    chat.map(({ content }) => content),
  );
  const own = given({ tools: hasTools ? offered : null });
  return tooLong ?? withCall(asked, { tokenizeChat: { messages: chat, ...own } });
}

const missing = refuse(
  400,
  "missing_required_parameter",
  "prompt",
  "Missing 'prompt' or 'messages': one of them is required.",
);

type Asked = {
  readonly model?: string | null | undefined;
  readonly service_tier?: string | null | undefined;
};

function withCall(
  { model, service_tier: tier }: Asked,
  request: TokensRequest,
): Extract<BodyParse<ParsedTokens>, { readonly kind: "parsed" }> {
  return {
    kind: "parsed",
    asked: { model: model ?? null, priority: priorityOf(tier ?? "auto"), request },
  };
}
