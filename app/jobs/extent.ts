import { assertNever } from "../assert-never.ts";
import { hasChecks, mostTries } from "./answers/answer-checks.ts";
import type { ChatRequest, Usage } from "./chat.ts";
import { utf8Length } from "./utf8.ts";
import type { Work } from "./work.ts";

/** The largest size that a job can have. It is known before any tokenizer has read the prompt. */
export type Extent = {
  /** UTF-8. A token covers at least one byte. */
  readonly promptBytes: number;
  /** The bytes that a usual template makes of the prompt. Only tools take fewer than `promptBytes`. */
  readonly likelyPromptBytes: number;
  /** Tokens that a chat template or a tokenizer may add to the prompt. */
  readonly addedTokens: number;
  /** More tokens that are possible, from a template's words or from odd characters. So rare that no price has them. */
  readonly templateTokens: number;
  /** Bounds of the true counts: the prompt fits the context, and an answer has at most `maxTokens`. */
  readonly most: Usage;
  /** Vectors in the answer to an embedding job. */
  readonly vectors?: number;
  /** How often a device may have to write the answer. */
  readonly tries?: number;
};

/** Tokens that a chat template may add for each message, and once. Generous on purpose. */
const tokensPerMessage = 32;
const tokensPerChat = 64;
/** Tokens that a tokenizer may add to a text: its begin and end marks, and a blank. */
const tokensPerText = 8;
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
      const { messages, maxTokens } = work.request;
      const textBytes = bytesOf(messages.map(({ content }) => content));
      const toolBytes = toolBytesOf(work.request);
      return {
        promptBytes: textBytes + toolBytes.most,
        likelyPromptBytes: textBytes + toolBytes.likely,
        addedTokens: tokensPerMessage * messages.length + tokensPerChat,
        templateTokens:
          template === undefined ? fileTemplateTokens : utf8Length(template) * (messages.length + 1),
        most: { promptTokens: contextTokens, completionTokens: maxTokens },
        ...triesOf(work.request),
      };
    }
    case "completion":
      return {
        promptBytes: utf8Length(work.request.prompt),
        likelyPromptBytes: utf8Length(work.request.prompt),
        addedTokens: tokensPerText,
        templateTokens: 0,
        most: { promptTokens: contextTokens, completionTokens: work.request.maxTokens },
        ...triesOf(work.request),
      };
    case "embedding": {
      const { inputs } = work.request;
      return {
        promptBytes: bytesOf(inputs),
        likelyPromptBytes: bytesOf(inputs),
        addedTokens: tokensPerText * inputs.length,
        templateTokens: (tokensPerByte - 1) * bytesOf(inputs),
        // Each input may fill the context.
        most: { promptTokens: contextTokens * inputs.length, completionTokens: 0 },
        vectors: inputs.length,
      };
    }
    default:
      return assertNever(work);
  }
}

function triesOf(request: Parameters<typeof hasChecks>[0]): Pick<Extent, "tries"> {
  return hasChecks(request) ? { tries: mostTries } : {};
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + utf8Length(text), 0);
}

/** Bytes in which a template may explain tool calls to the model, generously, and in which templates usually do. */
const toolInstructionBytes = { most: 4_096, likely: 600 } as const;

/** The bytes that tools, and calls of them, add to the prompt at most, and usually. */
function toolBytesOf({ messages, tools = [] }: ChatRequest): {
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
export function mostPromptTokens({ promptBytes, addedTokens, templateTokens }: Extent): number {
  return promptBytes + addedTokens + templateTokens;
}

/** The most tokens that are in the context at once, apart from a template's own words: of the inputs, the longest. */
export function mostContextTokens(work: Work, extent: Extent): number {
  if (work.kind === "embedding") return Math.max(...work.request.inputs.map(utf8Length)) + tokensPerText;
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
