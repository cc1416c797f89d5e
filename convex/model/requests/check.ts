import type { ChatRequest } from "../../../app/jobs/chat.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { parseWork } from "../../../app/jobs/payload.ts";
import { boundedInteger, refuse, wellFormed } from "../refuse.ts";

/** UTF-8 bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** No tokenizer in use makes a token of more bytes than this (long runs of blanks are the longest). */
const maxBytesPerToken = 256;

/**
 * Refuses a request that is out of bounds or certain not to fit the model. Whether a long prompt fits is
 * known only once the device has tokenized it.
 * @returns the prompt's bytes.
 */
export function checkRequest(request: ChatRequest, contextTokens: number): number {
  if (request.messages.length === 0) refuse("invalid", "messages must not be empty.");
  if (request.messages.length > limits.messages) {
    refuse("invalid", `messages must be at most ${String(limits.messages)}.`);
  }
  for (const { content } of request.messages) wellFormed(content, "A message");
  const promptBytes =
    request.messages.reduce((sum, message) => sum + byteLength(message.content), 0) + toolBytes(request);
  if (promptBytes > limits.promptBytes) {
    refuse(
      "too_large",
      `The messages have ${String(promptBytes)} bytes; at most ${String(limits.promptBytes)} are taken.`,
    );
  }
  boundedInteger(request.maxTokens, "maxTokens", 1, limits.maxTokens);
  boundedNumber(request.temperature, "temperature", 2);
  boundedNumber(request.topP, "topP", 1);
  // Further fields are bounded by those who parse them: the API, and the device once more.
  if (parseWork("chat", request) === null) refuse("invalid", "The request is not one that a device accepts.");
  boundedInteger(request.seed, "seed", 0, 0xffff_ffff);
  if (request.stop.length > limits.stopStrings) refuse("invalid", "There are too many stop strings.");
  for (const stop of request.stop) {
    wellFormed(stop, "A stop string");
    if (stop === "" || byteLength(stop) > limits.stopBytes)
      refuse("invalid", "A stop string is empty or too long.");
  }
  if (request.maxTokens > contextTokens || promptBytes > contextTokens * maxBytesPerToken) {
    refuse(
      "context_length_exceeded",
      `This model's context has ${String(contextTokens)} tokens. ` +
        `The messages (${String(promptBytes)} bytes) and the ${String(request.maxTokens)} tokens asked for cannot fit.`,
    );
  }
  return promptBytes;
}

/** What a template tells the model of how tools are called. Generous on purpose. */
const toolWords = 4_096;

/** What tools, and calls of them, add to the prompt at most. */
function toolBytes({ messages, tools = [] }: ChatRequest): number {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  if (tools.length === 0 && calls.length === 0) return 0;
  return toolWords + 2 * byteLength(JSON.stringify([tools, calls]));
}

function boundedNumber(value: number, what: string, max: number): void {
  if (!(value >= 0 && value <= max)) refuse("invalid", `${what} must be from 0 to ${String(max)}.`);
}
