import { assertNever } from "../assert-never.ts";
import { hasChecks, mostTries } from "./answers/answer-checks.ts";
import type { ChatRequest, Usage } from "./chat.ts";
import { mostTokensOf, type TextOrIds } from "./payload/token-ids.ts";
import { utf8Length } from "./utf8.ts";
import type { TokensRequest, Work } from "./work.ts";

/** The largest size that a job can have. It is known before any tokenizer has read the prompt. */
export type Extent = {
  /** UTF-8. A token covers at least one byte. An id of a token counts as one. */
  readonly promptBytes: number;
  /** The bytes that a usual template makes of the prompt. Only tools take fewer than `promptBytes`. */
  readonly likelyPromptBytes: number;
  /** Tokens that a chat template or a tokenizer may add to the prompt. */
  readonly addedTokens: number;
  /** Those that usual ones add. */
  readonly likelyAddedTokens: number;
  /** More tokens that are possible, from a template's words or from odd characters. So rare that no price has them. */
  readonly templateTokens: number;
  /** Bounds of the true counts: the prompt fits the context, and an answer has at most `maxTokens`. */
  readonly most: Usage;
  /** Vectors in the answer to an embedding job. */
  readonly vectors?: number;
  /** How often a device may have to write the answer. */
  readonly tries?: number;
};

/** Bytes of a prompt for each of its tokens: about four for English prose, less for code and other languages. */
export const bytesPerToken = 3;
/** Tokens that a chat template may add for each message, generously, and in which templates usually do: the role and its marks. */
const tokensPerMessage = { most: 32, likely: 5 } as const;
/** Those that it adds once: the beginning of the answer, and often a short system prompt. */
const tokensPerChat = { most: 64, likely: 10 } as const;
/** Tokens that a tokenizer may add to a text: its begin and end marks, and a blank. Usually the first. */
const tokensPerText = { most: 8, likely: 1 } as const;
/** Tokenizers of some embedding models write one character as several: "ﷺ" has 3 bytes, and becomes 33. */
const tokensPerByte = 11;
/** Tokens of the words that a file's own chat template may add, such as a system prompt. */
const fileTemplateTokens = 2_048;

/** The model of a job. `template`: the chat template that the organization set in place of the file's own. */
export type WorkModel = { readonly contextTokens: number; readonly template?: string | undefined };

/** The largest size that a job can have. */
export function extentOf(work: Work, { contextTokens, template }: WorkModel): Extent {
  switch (work.kind) {
    case "chat": {
      const { maxTokens } = work.request;
      return {
        ...extentOfChat(work.request, template),
        most: { promptTokens: contextTokens, completionTokens: maxTokens },
        ...triesOf(work.request),
      };
    }
    case "completion":
      return {
        promptBytes: mostTokensOf(work.request.prompt),
        likelyPromptBytes: likelyBytesOf(work.request.prompt),
        addedTokens: tokensPerText.most,
        likelyAddedTokens: tokensPerText.likely,
        templateTokens: 0,
        most: { promptTokens: contextTokens, completionTokens: work.request.maxTokens },
        ...triesOf(work.request),
      };
    case "embedding": {
      const { inputs } = work.request;
      const promptBytes = sumOf(inputs, mostTokensOf);
      return {
        promptBytes,
        likelyPromptBytes: sumOf(inputs, likelyBytesOf),
        addedTokens: tokensPerText.most * inputs.length,
        likelyAddedTokens: tokensPerText.likely * inputs.length,
        templateTokens: (tokensPerByte - 1) * promptBytes,
        // Each input may fill the context.
        most: { promptTokens: contextTokens * inputs.length, completionTokens: 0 },
        vectors: inputs.length,
      };
    }
    case "tokens": {
      const read = extentOfTokens(work.request, template);
      return { ...read, most: { promptTokens: mostPromptTokens(read), completionTokens: 0 } };
    }
    default:
      return assertNever(work);
  }
}

function triesOf(request: Parameters<typeof hasChecks>[0]): Pick<Extent, "tries"> {
  return hasChecks(request) ? { tries: mostTries } : {};
}

type PromptExtent = Pick<
  Extent,
  "promptBytes" | "likelyPromptBytes" | "addedTokens" | "likelyAddedTokens" | "templateTokens"
>;

/** @param template the chat template that the organization set. */
function extentOfChat(
  chat: Pick<ChatRequest, "messages" | "tools">,
  template: string | undefined,
): PromptExtent {
  const { messages } = chat;
  const textBytes = sumOf(messages, ({ content }) => utf8Length(content));
  const toolBytes = toolBytesOf(chat);
  return {
    promptBytes: textBytes + toolBytes.most,
    likelyPromptBytes: textBytes + toolBytes.likely,
    addedTokens: tokensPerMessage.most * messages.length + tokensPerChat.most,
    likelyAddedTokens: tokensPerMessage.likely * messages.length + tokensPerChat.likely,
    templateTokens:
      template === undefined ? fileTemplateTokens : utf8Length(template) * (messages.length + 1),
  };
}

function extentOfTokens(request: TokensRequest, template: string | undefined): PromptExtent {
  if ("tokenizeChat" in request) return extentOfChat(request.tokenizeChat, template);
  const promptBytes = utf8Length(request.tokenize);
  return {
    promptBytes,
    likelyPromptBytes: promptBytes,
    addedTokens: tokensPerText.most,
    likelyAddedTokens: tokensPerText.likely,
    templateTokens: (tokensPerByte - 1) * promptBytes,
  };
}

function likelyBytesOf(input: TextOrIds): number {
  return typeof input === "string" ? utf8Length(input) : bytesPerToken * mostTokensOf(input);
}

function sumOf<Each>(all: readonly Each[], of: (each: Each) => number): number {
  return all.reduce((sum, each) => sum + of(each), 0);
}

/** Bytes in which a template may explain tool calls to the model, generously, and in which templates usually do. */
const toolInstructionBytes = { most: 4_096, likely: 600 } as const;

/** The bytes that tools, and calls of them, add to the prompt at most, and usually. */
function toolBytesOf({ messages, tools = [] }: Pick<ChatRequest, "messages" | "tools">): {
  readonly most: number;
  readonly likely: number;
} {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  if (tools.length === 0 && calls.length === 0) return { most: 0, likely: 0 };
  const bytes = utf8Length(JSON.stringify([tools, calls]));
  const { most, likely } = toolInstructionBytes;
  return { most: most + 2 * bytes, likely: likely + bytes };
}

/** The most tokens that the whole prompt can have, whatever the template and the tokenizer. */
export function mostPromptTokens({ promptBytes, addedTokens, templateTokens }: PromptExtent): number {
  return promptBytes + addedTokens + templateTokens;
}

/** The most tokens that are in the context at once, apart from a template's own words: of the inputs, the longest. */
export function mostContextTokens(work: Work, extent: Extent): number {
  if (work.kind === "tokens") return 0;
  if (work.kind === "embedding")
    return Math.max(...work.request.inputs.map(mostTokensOf)) + tokensPerText.most;
  return pricedPromptTokens(extent) + extent.most.completionTokens;
}

/** The most tokens of the prompt that are paid. */
export function pricedPromptTokens({ promptBytes, addedTokens }: Extent): number {
  return promptBytes + addedTokens;
}

/** Time to load a model, and for pauses while a person types. */
const spareMs = 5 * 60_000;
/** No device that is of use is slower: bytes of a prompt, and tokens of an answer. */
const slowest = { readPerSecond: 50, writtenPerSecond: 2 };

/**
 * How long a device may hold a job before it counts as hung, in ms. A requester over HTTP waits for less: 9 minutes. Then
 * the device counts as hung after half of this time.
 */
export function attemptLimitMs({
  promptBytes,
  most,
  tries = 1,
}: Pick<Extent, "promptBytes" | "most" | "tries">): number {
  const { readPerSecond, writtenPerSecond } = slowest;
  const seconds = promptBytes / readPerSecond + most.completionTokens / writtenPerSecond;
  return spareMs + 1_000 * tries * Math.ceil(seconds);
}
