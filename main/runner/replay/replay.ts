import type { LlamaModel, Token } from "node-llama-cpp";
import { contextExceeded, jobErrors } from "../../../app/contract/job-errors.ts";
import type { RunOutcome } from "../../../app/contract/runner.ts";
import { askedAgain, checksText, mostTries } from "../../../app/jobs/answers/answer-checks.ts";
import { callableTools, type ChatRequest } from "../../../app/jobs/chat.ts";
import type { Sampling } from "../../../app/jobs/sampling.ts";
import { needsCheck } from "../../../app/jobs/schema/checks.ts";
import { missRegret, replayOf, type TextReplay } from "../../../app/trust/replay.ts";
import type { TokenFit } from "../../../app/trust/token-fit.ts";
import { type Enforced, grammarOf, orTexts } from "../generate/grammars.ts";
import { type Prompt, promptOf } from "../generate/prompt.ts";
import { TokenDecoder } from "../generate/token-decoder.ts";
import { argumentsGrammar, callStarts, callSyntax, mustCall, nameGrammar } from "../generate/tool-call.ts";
import type { SequenceLoan } from "../load/sequences.ts";
import {
  type Passage,
  type PassageEnd,
  type PassageRead,
  readPassage,
  type ReplayDeps,
} from "./passage-reader.ts";

/** `stop`: nothing can be told of what follows. Null: read. */
type Stop = RunOutcome | "stop" | null;

/** A grammar ends a text itself. */
const noEnds = { stopTokens: new Set<Token>(), stopTexts: [] };

/**
 * Reads a prompt and a finished answer in one pass, and compares each of its tokens with the one that this model writes by the same
 * seed. Throws what llama.cpp throws.
 */
export async function replay({ of, answer }: TextReplay, deps: ReplayDeps): Promise<RunOutcome> {
  const { loaded, step, clock } = deps;
  step("prompt");
  const prompt = promptOf(loaded, of);
  if (prompt === null) return { kind: "failed", error: jobErrors.wrongTokens };
  const length = prompt.tokens.length + tokenBound(deps, answer);
  if (prompt.tokens.length === 0 || length >= loaded.wholeContextTokens) {
    return { kind: "failed", error: contextExceeded(length, loaded.wholeContextTokens) };
  }
  if (length >= loaded.contextTokens) return { kind: "failed", error: jobErrors.contextTooSmall };
  const startedAt = clock();
  const loan = await loaded.sequences.lend(prompt.tokens, deps.cacheOwner);
  try {
    const reader = new AnswerReader({ of, answer }, prompt, loan, deps);
    const stop = await reader.read();
    step(null);
    if (stop !== null && stop !== "stop") return stop;
    return {
      kind: "done",
      result: {
        replay: replayOf(reader.fits),
        counted: { promptTokens: prompt.tokens.length, completionTokens: reader.writtenTokens },
        usage: { promptTokens: reader.readTokens, completionTokens: 0 },
        timing: { prefillMs: Math.round(clock() - startedAt), generateMs: 0 },
      },
    };
  } finally {
    loan.release();
  }
}

/** Tokens that a template puts around a call, at most. */
const aroundCall = 256;

function tokenBound(
  { loaded: { model } }: ReplayDeps,
  { text, toolCalls = [] }: TextReplay["answer"],
): number {
  const calls = toolCalls.map(
    (call) => aroundCall + model.tokenize(`${call.name}${call.arguments}`, false).length,
  );
  return calls.reduce((sum, each) => sum + each, model.tokenize(text, false).length);
}

/** Reads the passages of an answer, one after the other. */
class AnswerReader {
  readonly #replay: TextReplay;
  readonly #prompt: Prompt;
  readonly #loan: SequenceLoan;
  readonly #deps: ReplayDeps;
  /** All tokens up to the next passage. */
  #context: readonly Token[];
  /** Those that the model wrote. */
  #written: readonly Token[] = [];
  #fits: readonly TokenFit[] = [];

  constructor(replayed: TextReplay, prompt: Prompt, loan: SequenceLoan, deps: ReplayDeps) {
    this.#replay = replayed;
    this.#prompt = prompt;
    this.#loan = loan;
    this.#deps = deps;
    this.#context = prompt.tokens;
  }

  get fits(): readonly TokenFit[] {
    return this.#fits;
  }

  get writtenTokens(): number {
    return this.#written.length;
  }

  get readTokens(): number {
    return this.#context.length;
  }

  async read(): Promise<Stop> {
    const { of, answer } = this.#replay;
    const hasCalls = of.kind === "chat" && (answer.toolCalls ?? []).length > 0;
    return hasCalls ? await this.#readCalls(of.request) : await this.#readText();
  }

  async #readText(): Promise<Stop> {
    const { of, answer } = this.#replay;
    const { request } = of;
    const enforced = await this.#enforced();
    if (enforced !== null && "kind" in enforced) return enforced;
    const end = endOf(answer, request, enforced);
    const ends = enforced === null ? this.#prompt : noEnds;
    return await this.#readTries({ text: answer.text, enforced, end, ends }, checksText(request));
  }

  /** The grammar of the answer's format; null if there is none. */
  async #enforced(): Promise<Enforced | RunOutcome | null> {
    const { of } = this.#replay;
    const { llama, model, wrapper } = this.#deps.loaded;
    const { format } = of.request;
    if (format === undefined) return null;
    this.#deps.step("grammar");
    const enforced = await grammarOf(llama, format);
    if (enforced === null) return { kind: "failed", error: jobErrors.invalidGrammar };
    if (of.kind !== "chat" || callableTools(of.request).length === 0) return enforced;
    const starts = callStarts(model, callSyntax(model, wrapper), callableTools(of.request));
    return await orTexts(
      llama,
      enforced,
      starts.map(({ text }) => text),
    );
  }

  /** Reads the text before calls, and the calls, as far as their tokens are known. */
  async #readCalls(request: ChatRequest): Promise<Stop> {
    const { answer } = this.#replay;
    const { loaded, step } = this.#deps;
    const { llama, model } = loaded;
    const syntax = callSyntax(model, loaded.wrapper);
    const tools = callableTools(request);
    const calls = answer.toolCalls ?? [];
    const isNameKnown = !mustCall(request) && request.format !== undefined && syntax.trigger.kind === "texts";
    if (!mustCall(request)) {
      const stop = await this.#readBeforeCall(request);
      if (stop !== null) return stop;
    }
    for (const [index, call] of calls.entries()) {
      const tool = tools.find(({ name }) => name === call.name);
      if (tool === undefined) return { kind: "failed", error: jobErrors.unsupportedRequest };
      const begin = index === 0 ? syntax.begin : [...(syntax.next?.end ?? []), ...(syntax.next?.begin ?? [])];
      this.#context = [...this.#context, ...begin];
      if (tools.length === 1 || (index === 0 && isNameKnown)) {
        this.#context = [...this.#context, ...model.tokenize(call.name)];
      } else {
        const enforced = await nameGrammar(llama, tools);
        const stop = await this.#readTries(
          { text: call.name, enforced, end: "model", ends: noEnds },
          checksText(request),
        );
        if (stop !== null) return stop;
      }
      step("grammar");
      const enforced = await argumentsGrammar(llama, tool);
      if (enforced === null) return { kind: "failed", error: jobErrors.invalidGrammar };
      this.#context = [...this.#context, ...syntax.beforeArguments];
      const isCut = index === calls.length - 1 && answer.finishReason === "length";
      const stop = await this.#readTries(
        { text: call.arguments, enforced, end: isCut ? "none" : "text", ends: noEnds },
        checksText(request) || (tool.parameters !== undefined && needsCheck(tool.parameters)),
      );
      if (stop !== null) return stop;
    }
    return null;
  }

  /** Reads the text before the first call, with the words that begin it. The template's own tokens replace those. */
  async #readBeforeCall(request: ChatRequest): Promise<Stop> {
    const { answer } = this.#replay;
    const { model, wrapper } = this.#deps.loaded;
    const syntax = callSyntax(model, wrapper);
    const { trigger } = syntax;
    const enforced = await this.#enforced();
    if (enforced !== null && "kind" in enforced) return enforced;
    const before = this.#context;
    if (enforced !== null) {
      const [name] = (answer.toolCalls ?? []).map((call) => call.name);
      const start = callStarts(model, syntax, callableTools(request)).find(
        (each) => each.name === "" || each.name === name,
      );
      const text = start?.text ?? "";
      const stop = await this.#readTries({ text, enforced, end: "model", ends: noEnds }, checksText(request));
      this.#context = before;
      return stop;
    }
    if (trigger.kind === "token") {
      const ends = { stopTokens: new Set([trigger.token]), stopTexts: [] };
      return await this.#readTries({ text: answer.text, enforced, end: "call", ends }, false);
    }
    const [words = "", ...others] = trigger.texts;
    // Other words may have begun the call.
    const text = others.length > 0 ? answer.text : answer.text + words;
    const ends = { stopTokens: new Set<Token>(), stopTexts: trigger.texts };
    const stop = await this.#readTries({ text, enforced, end: "none", ends }, false);
    const kept = tokensBefore(model, this.#context.slice(before.length), before, answer.text.length);
    this.#context = this.#context.slice(0, before.length + kept);
    return stop;
  }

  /**
   * Reads a passage that the model wrote. If a device may have written it several times until it held its schema, it is compared with
   * each of these tries, and the one that fits best counts.
   */
  async #readTries(
    passage: Pick<Passage, "text" | "enforced" | "end" | "ends">,
    isRetried: boolean,
  ): Promise<Stop> {
    const { of } = this.#replay;
    let best: PassageRead | null = null;
    for (let tries = 0; tries < (isRetried ? mostTries : 1); tries += 1) {
      this.#deps.step("prefill");
      const request: Sampling = askedAgain(of.request, tries);
      const whole = { ...passage, request, before: this.#context, written: this.#written };
      const read = await readPassage(whole, this.#loan, this.#deps);
      if (read === null) return { kind: "aborted" };
      if (read === "too-slow") return { kind: "failed", error: jobErrors.requestTimeout };
      if (best === null || missesIn(read) < missesIn(best)) best = read;
      if (missesIn(best) === 0) break;
    }
    if (best === null) return null;
    this.#fits = [...this.#fits, ...best.fits];
    this.#written = [...this.#written, ...best.tokens];
    this.#context = [...this.#context, ...best.tokens];
    return best.isWhole ? null : "stop";
  }
}

function missesIn({ fits }: PassageRead): number {
  return fits.filter(({ regret }) => regret > missRegret).length;
}

function endOf(
  { text, finishReason }: TextReplay["answer"],
  { stop }: Sampling,
  enforced: Enforced | null,
): PassageEnd {
  if (text === "") return "empty";
  if (finishReason !== "stop") return "none";
  // The end of JSON is found in its text, and blanks after it are cut off.
  return stop.length > 0 || enforced?.trimEnd === true ? "text" : "model";
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
