import {
  type ChatHistoryItem,
  type ChatModelFunctionCall,
  type ChatModelFunctions,
  type ChatModelResponse,
  type ChatWrapper,
  type GbnfJsonSchema,
  type LlamaModel,
  LlamaText,
  type Token,
} from "node-llama-cpp";
import type { ChatMessage, ChatRequest, ChatTool } from "../../../app/jobs/chat.ts";
import { unpackIds } from "../../../app/jobs/payload/token-ids.ts";
import type { TextWork } from "../../../app/jobs/work.ts";
import { ownTokens } from "./own-tokens.ts";

export type Prompt = {
  /** The whole prompt as the model reads it, with the chat template's tokens. */
  readonly tokens: readonly Token[];
  /** Tokens that end an answer, besides the model's own end-of-generation tokens. */
  readonly stopTokens: ReadonlySet<Token>;
  /** Texts that end an answer, in templates that use words for it. */
  readonly stopTexts: readonly string[];
};

type ChatModel = { readonly model: LlamaModel; readonly wrapper: ChatWrapper };

/** The prompt of a request that is answered with text. Null: it has ids of tokens that are not the model's. */
export function promptOf(loaded: ChatModel, work: TextWork): Prompt | null {
  if (work.kind === "chat") return chatPrompt(loaded, work.request);
  const { prompt } = work.request;
  if (typeof prompt === "string") return plainPrompt(loaded.model, prompt);
  const tokens = ownTokens(loaded.model, unpackIds(prompt));
  return tokens === null ? null : withoutStops(tokens);
}

/** Tokenizes contents as plain text: a "<|im_end|>" in a message never becomes a control token. */
export function chatPrompt(
  { model, wrapper }: ChatModel,
  request: Pick<ChatRequest, "messages" | "tools" | "toolChoice">,
): Prompt {
  const tools = request.toolChoice === "none" ? [] : (request.tools ?? []);
  const state = wrapper.generateContextState({
    // A complete history, so that the library adds no default system prompt.
    chatHistory: historyOf(request.messages),
    ...(tools.length === 0 ? {} : { availableFunctions: functionsOf(tools), documentFunctionParams: true }),
  });
  const stopTokens = new Set<Token>();
  const stopTexts: string[] = [];
  for (const trigger of state.stopGenerationTriggers) {
    const triggerTokens = trigger.tokenize(model.tokenizer);
    const [only] = triggerTokens;
    if (triggerTokens.length === 1 && only !== undefined) stopTokens.add(only);
    else if (trigger.values.every((value) => typeof value === "string")) stopTexts.push(trigger.toString());
  }
  return { tokens: withBos(model, state.contextText.tokenize(model.tokenizer)), stopTokens, stopTexts };
}

/** The prompt of a completion, without a template. */
export function plainPrompt(model: LlamaModel, text: string): Prompt {
  return withoutStops(withBos(model, plainTokens(model, text)));
}

/** The tokens of a text. A "<|im_end|>" in it does not become a control token. */
export function plainTokens(model: LlamaModel, text: string): readonly Token[] {
  return LlamaText(text).tokenize(model.tokenizer);
}

function withoutStops(tokens: readonly Token[]): Prompt {
  return { tokens, stopTokens: new Set(), stopTexts: [] };
}

/** Adds the beginning-of-sequence token, for models that need one. */
function withBos(model: LlamaModel, tokens: readonly Token[]): readonly Token[] {
  const { bos, shouldPrependBosToken } = model.tokens;
  return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
}

function functionsOf(tools: readonly ChatTool[]): ChatModelFunctions {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      {
        ...(description === undefined ? {} : { description }),
        ...(parameters === undefined ? {} : { params: JSON.parse(parameters) as GbnfJsonSchema }),
      },
    ]),
  );
}

/**
 * Messages as the library's history, with an open answer at the end. In that history a tool's result is part of its
 * call, and the text after it continues the same answer.
 */
export function historyOf(messages: readonly ChatMessage[]): ChatHistoryItem[] {
  const items: ChatHistoryItem[] = [];
  const calls = new Map<string, ChatModelFunctionCall>();
  for (const { role, content, toolCalls = [], toolCallId } of messages) {
    switch (role) {
      case "system":
      case "user":
        items.push({ type: role, text: content });
        break;
      case "assistant": {
        const response = openAnswer(items);
        if (content !== "") response.push(content);
        toolCalls.forEach(({ id, name, arguments: json }, index) => {
          const call: ChatModelFunctionCall = {
            type: "functionCall",
            name,
            params: jsonOrText(json),
            result: undefined,
            ...(index === 0 ? { startsNewChunk: true } : {}),
          };
          calls.set(id, call);
          response.push(call);
        });
        break;
      }
      case "tool": {
        const call = calls.get(toolCallId ?? "");
        if (call !== undefined) call.result = jsonOrText(content);
        break;
      }
    }
  }
  openAnswer(items);
  return items;
}

/** The last answer if it ended with a call, since only such an answer continues. Otherwise a new one. */
function openAnswer(items: ChatHistoryItem[]): ChatModelResponse["response"] {
  const last = items.at(-1);
  if (last?.type === "model" && endsWithCall(last)) return last.response;
  const answer: ChatModelResponse = { type: "model", response: [] };
  items.push(answer);
  return answer.response;
}

function endsWithCall({ response }: ChatModelResponse): boolean {
  const last = response.at(-1);
  return typeof last === "object" && last.type === "functionCall";
}

/** The library writes values as JSON, so text that is JSON already would be quoted twice. */
function jsonOrText(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
