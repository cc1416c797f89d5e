import { assertNever } from "../../../app/assert-never.ts";
import type { ChatRequest, Usage } from "../../../app/jobs/chat.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { parseWork } from "../../../app/jobs/payload.ts";
import type { Sampling } from "../../../app/jobs/sampling.ts";
import { utf8Length } from "../../../app/jobs/utf8.ts";
import type { Work } from "../../../app/jobs/work.ts";
import { boundedInteger, refuse, wellFormed } from "../refuse.ts";

/** The largest size that a job can have. It is known before any tokenizer has read the prompt. */
export type Extent = {
  /** UTF-8. A token covers at least one byte. */
  readonly promptBytes: number;
  /** Tokens that a chat template or a tokenizer may add to the prompt. */
  readonly addedTokens: number;
  /** Bounds of the true counts: the prompt fits the context, and an answer has at most `maxTokens`. */
  readonly most: Usage;
  /** Vectors in the answer to an embedding job. */
  readonly vectors?: number;
};

/** The longest token of any common tokenizer, in bytes: a run of blanks. */
const maxBytesPerToken = 256;

/**
 * Refuses (invalid, too_large, context_length_exceeded) work that is out of bounds or certainly too long for the model. Only
 * the device can tell whether another long prompt fits, because it tokenizes it.
 */
export function checkWork(work: Work, contextTokens: number): Extent {
  for (const text of textsOf(work)) wellFormed(text, "A text");
  const extent = extentOf(work, contextTokens);
  const { promptBytes } = extent;
  if (promptBytes > limits.promptBytes) {
    const most = String(limits.promptBytes);
    refuse("too_large", `The prompt has ${String(promptBytes)} bytes; at most ${most} are allowed.`);
  }
  if (work.kind !== "embedding") checkSampling(work.request);
  // The HTTP API and the device bound all other fields when they parse them.
  if (parseWork(work.kind, work.request) === null)
    refuse("invalid", "The request is not one that a device accepts.");
  checkContext(work, extent, contextTokens);
  return extent;
}

function textsOf(work: Work): readonly string[] {
  switch (work.kind) {
    case "chat": {
      const { messages } = work.request;
      if (messages.length === 0) refuse("invalid", "messages must not be empty.");
      if (messages.length > limits.messages) {
        refuse("invalid", `messages must be at most ${String(limits.messages)}.`);
      }
      return messages.map(({ content }) => content);
    }
    case "completion":
      return [work.request.prompt];
    case "embedding":
      return work.request.inputs;
    default:
      return assertNever(work);
  }
}

/** Tokens that a chat template may add for each message, and once. Generous on purpose. */
const tokensPerMessage = 32;
const tokensPerChat = 64;
/** Tokens that a tokenizer may add to a text: its begin and end marks, and a blank. */
const tokensPerText = 8;

function extentOf(work: Work, contextTokens: number): Extent {
  switch (work.kind) {
    case "chat": {
      const { messages, maxTokens } = work.request;
      return {
        promptBytes: bytesOf(messages.map(({ content }) => content)) + toolBytes(work.request),
        addedTokens: tokensPerMessage * messages.length + tokensPerChat,
        most: { promptTokens: contextTokens, completionTokens: maxTokens },
      };
    }
    case "completion":
      return {
        promptBytes: utf8Length(work.request.prompt),
        addedTokens: tokensPerText,
        most: { promptTokens: contextTokens, completionTokens: work.request.maxTokens },
      };
    case "embedding": {
      const { inputs } = work.request;
      return {
        promptBytes: bytesOf(inputs),
        addedTokens: tokensPerText * inputs.length,
        // Each input may fill the context.
        most: { promptTokens: contextTokens * inputs.length, completionTokens: 0 },
        vectors: inputs.length,
      };
    }
    default:
      return assertNever(work);
  }
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + utf8Length(text), 0);
}

/** Bytes in which a template may explain tool calls to the model. Generous on purpose. */
const toolInstructionBytes = 4_096;

/** The most that tools, and calls of them, add to the prompt. */
function toolBytes({ messages, tools = [] }: ChatRequest): number {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  if (tools.length === 0 && calls.length === 0) return 0;
  return toolInstructionBytes + 2 * utf8Length(JSON.stringify([tools, calls]));
}

function checkSampling(request: Sampling): void {
  boundedInteger(request.maxTokens, "maxTokens", 1, limits.maxTokens);
  boundedNumber(request.temperature, "temperature", 2);
  boundedNumber(request.topP, "topP", 1);
  boundedInteger(request.seed, "seed", 0, 0xffff_ffff);
  if (request.stop.length > limits.stopStrings) refuse("invalid", "There are too many stop strings.");
  for (const stop of request.stop) {
    wellFormed(stop, "A stop string");
    if (stop === "" || utf8Length(stop) > limits.stopBytes)
      refuse("invalid", "A stop string is empty or too long.");
  }
}

function boundedNumber(value: number, what: string, max: number): void {
  if (!(value >= 0 && value <= max)) refuse("invalid", `${what} must be from 0 to ${String(max)}.`);
}

function checkContext(work: Work, { promptBytes, most }: Extent, contextTokens: number): void {
  const context = `This model's context has ${String(contextTokens)} tokens.`;
  const mostBytes = contextTokens * maxBytesPerToken;
  if (work.kind === "embedding") {
    const index = work.request.inputs.findIndex((input) => utf8Length(input) > mostBytes);
    if (index !== -1) refuse("context_length_exceeded", `${context} Input ${String(index)} cannot fit.`);
    return;
  }
  if (most.completionTokens <= contextTokens && promptBytes <= mostBytes) return;
  refuse(
    "context_length_exceeded",
    `${context} The prompt (${String(promptBytes)} bytes) and the answer (up to ` +
      `${String(most.completionTokens)} tokens) cannot fit.`,
  );
}
