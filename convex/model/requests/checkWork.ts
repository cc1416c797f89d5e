import { assertNever } from "../../../app/assert-never.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { parseWork } from "../../../app/jobs/payload.ts";
import type { Sampling } from "../../../app/jobs/sampling.ts";
import type { Work } from "../../../app/jobs/work.ts";
import { boundedInteger, refuse, wellFormed } from "../refuse.ts";
import { byteLength, type Extent, extentOf } from "./extent.ts";

/** No tokenizer in use makes a token of more bytes than this (long runs of blanks are the longest). */
const maxBytesPerToken = 256;

/**
 * Refuses work that is out of bounds or certain not to fit the model. Whether a long prompt fits is known only once the
 * device has tokenized it.
 */
export function checkWork(work: Work, contextTokens: number): Extent {
  const texts = textsOf(work);
  for (const text of texts) wellFormed(text, "A text");
  const extent = extentOf(work, contextTokens);
  const { promptBytes } = extent;
  if (promptBytes > limits.promptBytes) {
    const most = String(limits.promptBytes);
    refuse("too_large", `There are ${String(promptBytes)} bytes to read; at most ${most} are taken.`);
  }
  if (work.kind !== "embedding") checkSampling(work.request);
  // Further fields are bounded by those who parse them: the API, and the device once more.
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

function checkSampling(request: Sampling): void {
  boundedInteger(request.maxTokens, "maxTokens", 1, limits.maxTokens);
  boundedNumber(request.temperature, "temperature", 2);
  boundedNumber(request.topP, "topP", 1);
  boundedInteger(request.seed, "seed", 0, 0xffff_ffff);
  if (request.stop.length > limits.stopStrings) refuse("invalid", "There are too many stop strings.");
  for (const stop of request.stop) {
    wellFormed(stop, "A stop string");
    if (stop === "" || byteLength(stop) > limits.stopBytes)
      refuse("invalid", "A stop string is empty or too long.");
  }
}

function checkContext(work: Work, { promptBytes, most }: Extent, contextTokens: number): void {
  const context = `This model's context has ${String(contextTokens)} tokens.`;
  const mostBytes = contextTokens * maxBytesPerToken;
  if (work.kind === "embedding") {
    const index = work.request.inputs.findIndex((input) => byteLength(input) > mostBytes);
    if (index !== -1) refuse("context_length_exceeded", `${context} Input ${String(index)} cannot fit.`);
    return;
  }
  if (most.completionTokens <= contextTokens && promptBytes <= mostBytes) return;
  refuse(
    "context_length_exceeded",
    `${context} What there is to read (${String(promptBytes)} bytes) and the ` +
      `${String(most.completionTokens)} tokens asked for cannot fit.`,
  );
}

function boundedNumber(value: number, what: string, max: number): void {
  if (!(value >= 0 && value <= max)) refuse("invalid", `${what} must be from 0 to ${String(max)}.`);
}
