import { assertNever } from "../../../app/assert-never.ts";
import type { ChatRequest } from "../../../app/jobs/chat.ts";
import { type Extent, extentOf, type WorkModel } from "../../../app/jobs/extent.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { parseWork } from "../../../app/jobs/payload/payload.ts";
import { countIds, type TextOrIds } from "../../../app/jobs/payload/token-ids.ts";
import type { Sampling } from "../../../app/jobs/sampling.ts";
import { utf8Length } from "../../../app/jobs/utf8.ts";
import type { Work } from "../../../app/jobs/work.ts";
import { boundedInteger, refuse, wellFormed } from "../refuse.ts";

/** The longest token of any common tokenizer, in bytes: a run of blanks. */
const maxBytesPerToken = 256;

/**
 * Refuses (invalid, too_large, context_length_exceeded) work that is out of bounds or certainly too long for the model. Only
 * the device can tell whether another long prompt fits, because it tokenizes it.
 */
export function checkWork(work: Work, model: WorkModel): Extent {
  for (const text of textsOf(work)) wellFormed(text, "A text");
  const { contextTokens } = model;
  const extent = extentOf(work, model);
  const { promptBytes } = extent;
  if (promptBytes > limits.promptBytes) {
    const most = String(limits.promptBytes);
    refuse("too_large", `The prompt has ${String(promptBytes)} bytes; at most ${most} are allowed.`);
  }
  if (work.kind === "chat" || work.kind === "completion") checkSampling(work.request);
  // The HTTP API and the device bound all other fields when they parse them.
  if (parseWork(work.kind, work.request) === null)
    refuse("invalid", "The request is not one that a device accepts.");
  checkContext(work, extent, contextTokens);
  return extent;
}

function textsOf(work: Work): readonly string[] {
  switch (work.kind) {
    case "chat":
      return contentsOf(work.request);
    case "completion":
      return textsAmong([work.request.prompt]);
    case "embedding":
      return textsAmong(work.request.inputs);
    case "tokens": {
      const { request } = work;
      if ("tokenizeChat" in request) return contentsOf(request.tokenizeChat);
      return [request.tokenize];
    }
    default:
      return assertNever(work);
  }
}

function contentsOf({ messages }: Pick<ChatRequest, "messages">): readonly string[] {
  if (messages.length === 0) refuse("invalid", "messages must not be empty.");
  if (messages.length > limits.messages) {
    refuse("invalid", `messages must be at most ${String(limits.messages)}.`);
  }
  return messages.map(({ content }) => content);
}

function textsAmong(inputs: readonly TextOrIds[]): readonly string[] {
  return inputs.filter((input) => typeof input === "string");
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
  if (work.kind === "tokens") return;
  const context = `This model's context has ${String(contextTokens)} tokens.`;
  if (work.kind === "embedding") {
    const index = work.request.inputs.findIndex((input) => leastTokensOf(input) > contextTokens);
    if (index !== -1) refuse("context_length_exceeded", `${context} Input ${String(index)} cannot fit.`);
    return;
  }
  const isOfIds = work.kind === "completion" && typeof work.request.prompt !== "string";
  const leastTokens = isOfIds ? promptBytes : promptBytes / maxBytesPerToken;
  if (most.completionTokens <= contextTokens && leastTokens <= contextTokens) return;
  refuse(
    "context_length_exceeded",
    `${context} The prompt (${String(promptBytes)} ${isOfIds ? "tokens" : "bytes"}) and the answer (up to ` +
      `${String(most.completionTokens)} tokens) cannot fit.`,
  );
}

function leastTokensOf(input: TextOrIds): number {
  return typeof input === "string" ? utf8Length(input) / maxBytesPerToken : countIds(input);
}
