import { isRecord, parseJson } from "../../json.ts";
import { callableTools, type ChatRequest, type ChatResult, mostCalls, type ToolCall } from "../chat.ts";
import type { JsonSchema } from "../grammar/schema-rules.ts";
import { limits } from "../limits.ts";
import type { Sampling } from "../sampling.ts";
import { utf8Length } from "../utf8.ts";
import type { CompletionRequest } from "../work.ts";
import { holdsSchema, mayHoldSchema } from "./schema-check.ts";
import { hiddenTokens, usageMistake } from "./usage-check.ts";
import { bytesOfWritten, countPassages, countWritten } from "./written-tokens.ts";

/** The facts about a job with text that the backend has before its answer. */
type TextJob = {
  readonly request: ChatRequest | CompletionRequest;
  /** An upper bound of the prompt's tokens, before the context bounds them. */
  readonly promptTokens: number;
  readonly contextTokens: number;
  /** How long the device has had the job. */
  readonly heldMs: number;
};

/** The queue stores an answer as JSON of at most `resultBytes`. The names of its fields take some of them. */
const mostBytes = limits.resultBytes - 256;

/**
 * Returns an answer's mistake as a sentence that quotes nothing of it; null if the request allows the answer. A GBNF grammar
 * is not checked: only llama.cpp can.
 */
export function textMistake(answer: ChatResult, job: TextJob): string | null {
  const { text, toolCalls = [], logprobs = [], written = "" } = answer;
  const { request } = job;
  if (utf8Length(JSON.stringify([text, toolCalls, logprobs, written])) > mostBytes)
    return "The answer is too large.";
  const tokens = logprobs.flatMap((choice) => [choice, ...choice.top]).map(({ token }) => token);
  const texts = [text, ...toolCalls.map((call) => call.arguments), ...tokens];
  if (texts.some((each) => /\p{Surrogate}/u.test(each))) return "The answer is not well-formed Unicode.";
  const { promptTokens, contextTokens, heldMs } = job;
  const { maxTokens } = request;
  const bounds = { promptTokens, contextTokens, maxTokens, answerBytes: writtenBytes(answer, request) };
  return (
    usageMistake(answer, bounds, heldMs) ??
    writtenMistake(answer) ??
    endMistake(answer, job) ??
    callMistake(answer, toolsOf(request)) ??
    stopMistake(answer, request) ??
    (toolCalls.length > 0 || isCutCall(answer, request) ? textBesideCall : formatMistake)(answer, request) ??
    logprobMistake(answer, request, bounds.answerBytes - utf8Length(text))
  );
}

/** The bytes that the model wrote, in UTF-8: those of the answer, and at most those that were cut from it. */
function writtenBytes(
  { text, toolCalls = [], finishReason }: ChatResult,
  request: TextJob["request"],
): number {
  const called = toolCalls.map((call) => utf8Length(call.name) + utf8Length(call.arguments));
  return utf8Length(text) + called.reduce((sum, each) => sum + each, 0) + cutBytes(finishReason, request);
}

/** The most bytes that were cut from an answer, in UTF-8: a stop string, or the name of a tool that is not complete. */
function cutBytes(finishReason: ChatResult["finishReason"], request: TextJob["request"]): number {
  const cut =
    finishReason === "stop"
      ? request.stop
      : finishReason === "length"
        ? (toolsOf(request).tools ?? []).map(({ name }) => name)
        : [];
  return Math.max(0, ...cut.map(utf8Length));
}

/** Each mark in place of a broken character may stand for so many tokens, one for each of its bytes. */
const tokensOfBroken = 4;

/** The most tokens of cut and broken text, which a reader of the answer does not count. Control tokens come in addition. */
export function unseenTokens(
  { text, finishReason }: Pick<ChatResult, "text" | "finishReason">,
  request: TextJob["request"],
): number {
  const broken = text.split("\uFFFD").length - 1;
  return cutBytes(finishReason, request) + tokensOfBroken * broken;
}

/** A checker reads these tokens, and the device is paid for so many. Only the checker's model tells whether they are the answer's. */
function writtenMistake({ written, usage, toolCalls = [] }: ChatResult): string | null {
  if (written === undefined) return null;
  const count = countWritten(written);
  if (count === null) return "The tokens of the answer are not in the form of tokens.";
  // A text, the name and the arguments of each call, and the name of one that was cut.
  const mostPassages = 2 + 2 * Math.max(1, toolCalls.length);
  if (countPassages(written) > mostPassages) return "The tokens of the answer have more parts than it has.";
  return count === usage.completionTokens ? null : "The answer has another number of tokens than it reports.";
}

/** A model may be trained for a shorter context than its entry says, but hardly for a shorter one than this. */
const shortestContext = 512;
/** Tokens that the device writes itself, so it does not count them: most of them belong to tool calls. */
const writtenTokens = { withTools: 256, without: 8 };
/** As the device counts the size of its answer: four bytes a character, those of its tokens, and 64 for each log probability. */
const mostCountedBytes = limits.resultBytes - 8 * 1024;

function endMistake({ finishReason, text, toolCalls = [], usage }: ChatResult, job: TextJob): string | null {
  const { promptTokens, completionTokens } = usage;
  const { maxTokens, logprobs } = job.request;
  const { tools = [] } = toolsOf(job.request);
  if (text !== "" && completionTokens === 0) return "The answer has text, but no tokens.";
  if (finishReason !== "length") return null;
  const characters = toolCalls.reduce((sum, call) => sum + call.arguments.length, text.length);
  const spareTokens =
    tools.length > 0 ? writtenTokens.withTools * Math.max(1, toolCalls.length) : writtenTokens.without;
  const bytesOfToken = bytesOfWritten + (logprobs === undefined ? 0 : 64 * (1 + logprobs));
  const countedBytes = 4 * characters + bytesOfToken * completionTokens;
  const isFull =
    completionTokens >= maxTokens ||
    promptTokens + completionTokens + spareTokens >= Math.min(job.contextTokens, shortestContext) ||
    countedBytes >= mostCountedBytes;
  return isFull ? null : "The answer says that it was cut, but it is short.";
}

type Tools = Pick<ChatRequest, "tools" | "toolChoice" | "parallelToolCalls">;

function toolsOf(request: ChatRequest | CompletionRequest): Tools {
  return "messages" in request ? request : {};
}

function callMistake({ text, toolCalls = [], finishReason }: ChatResult, asked: Tools): string | null {
  const { tools = [], toolChoice = "auto" } = asked;
  // An answer that was cut may end with an unfinished call.
  const isCut = finishReason === "length";
  if (!isCut && (finishReason === "tool_calls") !== toolCalls.length > 0)
    return "The answer's tool calls do not fit its finish reason.";
  const mustCall = tools.length > 0 && (toolChoice === "required" || typeof toolChoice === "object");
  if (mustCall && (finishReason === "stop" || text !== ""))
    return "The answer does not call a tool, as it has to.";
  if (toolCalls.length > mostCalls(asked)) return "The answer has too many tool calls.";
  if (new Set(toolCalls.map(({ id }) => id)).size < toolCalls.length)
    return "Two of the answer's tool calls have the same id.";
  const callable = callableTools(asked);
  for (const call of toolCalls) {
    const tool = callable.find(({ name }) => name === call.name);
    if (tool === undefined) return "The answer calls a tool that it was not offered.";
    const mayBeCut = isCut && call === toolCalls.at(-1);
    const mistake = idMistake(call) ?? argumentsMistake(call, tool.parameters, mayBeCut);
    if (mistake !== null) return mistake;
  }
  return null;
}

const noParameters = { type: "object", properties: {} };

function idMistake({ id }: ToolCall): string | null {
  return id === "" || id.length > limits.callIdChars ? "A tool call's id is empty or too long." : null;
}

function argumentsMistake(
  { arguments: json }: ToolCall,
  parameters: string | undefined,
  mayBeCut: boolean,
): string | null {
  const schema = parameters === undefined ? noParameters : schemaOf(parameters);
  if (mayBeCut)
    return mayHoldSchema(schema, json)
      ? null
      : "A tool call's arguments begin otherwise than its schema allows.";
  const value = parseJson(json);
  if (value === undefined) return "A tool call's arguments are not JSON.";
  return holdsSchema(schema, value) ? null : "A tool call's arguments do not hold the tool's schema.";
}

/** A stored schema is the JSON that `parseSchema` has made. */
function schemaOf(text: string): JsonSchema {
  const schema = parseJson(text);
  return isRecord(schema) ? schema : {};
}

function stopMistake({ text, finishReason, stopText }: ChatResult, { stop }: Sampling): string | null {
  if (stop.some((each) => text.includes(each))) return "The answer goes on after a stop string.";
  if (stopText === undefined) return null;
  if (!stop.includes(stopText)) return "The answer names a stop string that is none of the request's.";
  return finishReason === "stop" ? null : "The answer names a stop string, but another end.";
}

/** A device shows nothing of what a stop string has cut, if it may have been the beginning of a call. */
function isCutCall({ text, finishReason }: ChatResult, request: TextJob["request"]): boolean {
  const canCall = callableTools(toolsOf(request)).length > 0;
  return text === "" && finishReason === "stop" && request.stop.length > 0 && canCall;
}

/** An answer in a format is one or a call, not both. */
function textBesideCall({ text }: ChatResult, { format }: Sampling): string | null {
  return format === undefined || text === "" ? null : "The answer has text beside its tool call.";
}

const anyObject = { type: "object", additionalProperties: true };

function formatMistake({ text, finishReason }: ChatResult, { format, stop }: Sampling): string | null {
  if (format === undefined || format.kind === "grammar") return null;
  const schema = format.kind === "json" ? anyObject : schemaOf(format.schema);
  const value = finishReason === "stop" ? parseJson(text) : undefined;
  if (value !== undefined && holdsSchema(schema, value)) return null;
  // The model wrote at least the stop string after the text.
  const written = finishReason === "stop" ? stop.map((each) => text + each) : [text];
  if (written.some((each) => mayHoldSchema(schema, each))) return null;
  if (written.length > 0) return "The answer begins otherwise than the request's format allows.";
  if (value === undefined) return "The answer is not JSON, as it has to be.";
  return format.kind === "json"
    ? "The answer is not a JSON object."
    : "The answer does not hold the request's schema.";
}

/** @param unseenBytes the most bytes that the model wrote and the text does not have. */
function logprobMistake(
  answer: ChatResult,
  request: ChatRequest | CompletionRequest,
  unseenBytes: number,
): string | null {
  const { text, logprobs, usage } = answer;
  const { logprobs: asked } = request;
  if (asked === undefined) return logprobs === undefined ? null : "The answer has log probabilities unasked.";
  if (logprobs === undefined || (text !== "" && logprobs.length === 0))
    return "The answer has no log probabilities.";
  if (logprobs.length > usage.completionTokens + hiddenTokens)
    return "The answer has more log probabilities than tokens.";
  if (usage.completionTokens > logprobs.length + unseenBytes + hiddenTokens)
    return "The answer has fewer log probabilities than tokens.";
  if (!areTokensOf(answer, toolsOf(request))) return "The log probabilities are those of another text.";
  const values = logprobs.flatMap(({ logprob, top }) => [logprob, ...top.map((each) => each.logprob)]);
  if (!values.every((value) => value <= 0 && value > -Infinity))
    return "A log probability is not a number up to 0.";
  return logprobs.every(({ top }) => top.length <= asked)
    ? null
    : "The answer has more alternatives for a token than were asked for.";
}

/** The last token may go beyond a text that ended before a stop string, before blanks or before a tool call. */
function areTokensOf({ text, logprobs = [], finishReason }: ChatResult, { tools = [] }: Tools): boolean {
  const written = logprobs.map(({ token }) => token).join("");
  const last = logprobs.at(-1)?.token ?? "";
  if (finishReason === "length" && tools.length === 0 && written !== text) return false;
  return written.startsWith(text) && (logprobs.length === 0 || written.length - last.length < text.length);
}
