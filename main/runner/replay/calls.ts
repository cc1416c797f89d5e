import type { LlamaModel, Token } from "node-llama-cpp";
import { jobErrors } from "../../../app/contract/job-errors.ts";
import { checksText } from "../../../app/jobs/answers/answer-checks.ts";
import { callableTools, type ChatRequest } from "../../../app/jobs/chat.ts";
import { needsCheck } from "../../../app/jobs/schema/checks.ts";
import { TokenDecoder } from "../generate/token-decoder.ts";
import { argumentsGrammar, callStarts, callSyntax, mustCall, nameGrammar } from "../generate/tool-call.ts";
import { type AnswerPassages, noEnds, type Stop } from "./answer-passages.ts";
import { enforcedFormat } from "./text.ts";
import type { ToldText } from "./told-tokens.ts";

/** Reads the text before calls, and the calls, as far as their tokens are known. */
export async function readCalls(passages: AnswerPassages, request: ChatRequest): Promise<Stop> {
  const { answer } = passages.replayed;
  const { loaded, step } = passages.deps;
  const { llama, model } = loaded;
  const syntax = callSyntax(model, loaded.wrapper);
  const tools = callableTools(request);
  const calls = answer.toolCalls ?? [];
  const isNameKnown = !mustCall(request) && request.format !== undefined && syntax.trigger.kind === "texts";
  if (!mustCall(request)) {
    const stop = await readBeforeCall(passages, request);
    if (stop !== null) return stop;
  }
  for (const [index, call] of calls.entries()) {
    const tool = tools.find(({ name }) => name === call.name);
    if (tool === undefined) return { kind: "failed", error: jobErrors.unsupportedRequest };
    passages.add(index === 0 ? syntax.begin : [...(syntax.next?.end ?? []), ...(syntax.next?.begin ?? [])]);
    if (tools.length === 1 || (index === 0 && isNameKnown)) {
      passages.add(model.tokenize(call.name));
    } else {
      const enforced = await nameGrammar(llama, tools);
      const stop = await passages.read(
        {
          text: call.name,
          enforced,
          end: "model",
          ends: noEnds,
          stopTexts: [],
          gives: ({ text }) => text === call.name,
          openEnd: "model",
        },
        checksText(request),
      );
      if (stop !== null) return stop;
    }
    step("grammar");
    const enforced = await argumentsGrammar(llama, tool);
    if (enforced === null) return { kind: "failed", error: jobErrors.invalidGrammar };
    passages.add(syntax.beforeArguments);
    const isCut = index === calls.length - 1 && answer.finishReason === "length";
    const stop = await passages.read(
      {
        text: call.arguments,
        enforced,
        end: isCut ? "none" : "text",
        ends: noEnds,
        stopTexts: [],
        gives: ({ text }) => text === call.arguments || text.trim() === call.arguments,
        openEnd: isCut ? "none" : "model",
      },
      checksText(request) || (tool.parameters !== undefined && needsCheck(tool.parameters)),
    );
    if (stop !== null) return stop;
  }
  return null;
}

/** Reads the text before the first call, with the words that begin it. The template's own tokens replace those. */
async function readBeforeCall(passages: AnswerPassages, request: ChatRequest): Promise<Stop> {
  const { answer } = passages.replayed;
  const { model, wrapper } = passages.deps.loaded;
  const syntax = callSyntax(model, wrapper);
  const { trigger } = syntax;
  const enforced = await enforcedFormat(passages);
  if (enforced !== null && "kind" in enforced) return enforced;
  const before = passages.context;
  if (enforced !== null) {
    const [name] = (answer.toolCalls ?? []).map((call) => call.name);
    const start = callStarts(model, syntax, callableTools(request)).find(
      (each) => each.name === "" || each.name === name,
    );
    const text = start?.text ?? "";
    const gives = (told: ToldText): boolean => told.text === text;
    const stop = await passages.read(
      { text, enforced, end: "model", ends: noEnds, stopTexts: request.stop, gives, openEnd: "model" },
      checksText(request),
    );
    passages.rewind(before.length);
    return stop;
  }
  const ownStops = [...request.stop, ...passages.prompt.stopTexts];
  if (trigger.kind === "token") {
    const ends = { stopTokens: new Set([trigger.token]), stopTexts: [] };
    const gives = ({ text, end }: ToldText): boolean => text === answer.text && end === null;
    return await passages.read(
      { text: answer.text, enforced, end: "call", ends, stopTexts: ownStops, gives, openEnd: "call" },
      false,
    );
  }
  const [words = "", ...others] = trigger.texts;
  // Other words may have begun the call.
  const text = others.length > 0 ? answer.text : answer.text + words;
  const ends = { stopTokens: new Set<Token>(), stopTexts: trigger.texts };
  const gives = (told: ToldText): boolean =>
    told.text === answer.text && told.end?.kind === "stop-text" && trigger.texts.includes(told.end.text);
  const stopTexts = [...ownStops, ...trigger.texts];
  const stop = await passages.read(
    { text, enforced, end: "none", ends, stopTexts, gives, openEnd: "none" },
    false,
  );
  const kept = tokensBefore(model, passages.context.slice(before.length), before, answer.text.length);
  passages.rewind(before.length + kept);
  return stop;
}

/** How many tokens of a passage are before those of a stop text that begins at a place in its text. */
function tokensBefore(
  model: LlamaModel,
  tokens: readonly Token[],
  before: readonly Token[],
  place: number,
): number {
  const decoder = new TokenDecoder<Token>((some, last) => model.detokenize(some, false, last), before);
  let [length, kept] = [0, 0];
  for (const [at, token] of tokens.entries()) {
    if (!decoder.isInsideCharacter && length <= place) kept = at;
    length += decoder.push(token).length;
  }
  return length <= place ? tokens.length : kept;
}
