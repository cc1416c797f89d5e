import { assertNever } from "../../../app/assert-never.ts";
import type { ChatRequest, Usage } from "../../../app/jobs/chat.ts";
import type { Work } from "../../../app/jobs/work.ts";

/** How large a job can be at most, known before any tokenizer has seen it. */
export type Extent = {
  /** UTF-8. A token covers at least one byte. */
  readonly promptBytes: number;
  /** Tokens that are put around what was asked. */
  readonly aroundTokens: number;
  /** What true counts can be at most: what is read fits the context, and an answer has at most `maxTokens`. */
  readonly most: Usage;
  /** How many vectors an embedding job is answered with. */
  readonly vectors?: number;
};

/** Tokens that a chat template may put around each message, and around all of them. Generous on purpose. */
const aroundMessage = 32;
const aroundMessages = 64;
/** What a tokenizer may put around a text: marks of its beginning and end, a blank before it. */
const aroundText = 8;

export function extentOf(work: Work, contextTokens: number): Extent {
  switch (work.kind) {
    case "chat": {
      const { messages, maxTokens } = work.request;
      return {
        promptBytes: bytesOf(messages.map(({ content }) => content)) + toolBytes(work.request),
        aroundTokens: aroundMessage * messages.length + aroundMessages,
        most: { promptTokens: contextTokens, completionTokens: maxTokens },
      };
    }
    case "completion":
      return {
        promptBytes: byteLength(work.request.prompt),
        aroundTokens: aroundText,
        most: { promptTokens: contextTokens, completionTokens: work.request.maxTokens },
      };
    case "embedding": {
      const { inputs } = work.request;
      return {
        promptBytes: bytesOf(inputs),
        aroundTokens: aroundText * inputs.length,
        // Each input has the context for itself.
        most: { promptTokens: contextTokens * inputs.length, completionTokens: 0 },
        vectors: inputs.length,
      };
    }
    default:
      return assertNever(work);
  }
}

/** UTF-8 bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + byteLength(text), 0);
}

/** What a template tells the model of how tools are called. Generous on purpose. */
const toolWords = 4_096;

/** What tools, and calls of them, add to the prompt at most. */
function toolBytes({ messages, tools = [] }: ChatRequest): number {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  if (tools.length === 0 && calls.length === 0) return 0;
  return toolWords + 2 * byteLength(JSON.stringify([tools, calls]));
}
