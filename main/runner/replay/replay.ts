import type { LlamaModel, Token } from "node-llama-cpp";
import { contextExceeded, jobErrors } from "../../../app/contract/job-errors.ts";
import type { RunOutcome } from "../../../app/contract/runner.ts";
import { askedAgain, checksText, mostTries } from "../../../app/jobs/answers/answer-checks.ts";
import { callableTools, type ChatRequest } from "../../../app/jobs/chat.ts";
import type { Sampling } from "../../../app/jobs/sampling.ts";
import { needsCheck } from "../../../app/jobs/schema/checks.ts";
import { defaultLimits } from "../../../app/trust/honest-replays.ts";
import { missRegret, replayOf, type TextReplay } from "../../../app/trust/replay.ts";
import type { TokenFit } from "../../../app/trust/token-fit.ts";
import { verdictOf } from "../../../app/trust/verdict.ts";
import { type Enforced, grammarOf, orTexts } from "../generate/grammars.ts";
import { type Prompt, promptOf } from "../generate/prompt.ts";
import { TokenDecoder } from "../generate/token-decoder.ts";
import {
  argumentsGrammar,
  CallMatcher,
  callStarts,
  callSyntax,
  mustCall,
  nameGrammar,
} from "../generate/tool-call.ts";
import type { SequenceLoan } from "../load/sequences.ts";
import {
  type Passage,
  type PassageEnd,
  type PassageRead,
  readPassage,
  type ReplayDeps,
} from "./passage-reader.ts";
import { textOfTold, type ToldText, toldTokens } from "./told-tokens.ts";

/** `stop`: nothing is known of what follows. `not-told`: the told tokens are not those of the answer. Null: read. */
type Stop = RunOutcome | "stop" | "not-told" | null;

/** A grammar ends a text itself. */
const noEnds = { stopTokens: new Set<Token>(), stopTexts: [] };

/**
 * Reads a prompt and a finished answer in one pass, and compares each of its tokens with the one that this model writes by the same
 * seed. If the device told no tokens, or those of another text, the checker looks for the tokens of the text. Throws what llama.cpp throws.
 */
export async function replay({ of, answer }: TextReplay, deps: ReplayDeps): Promise<RunOutcome> {
  const { loaded, step, clock } = deps;
  step("prompt");
  const prompt = promptOf(loaded, of);
  if (prompt === null) return { kind: "failed", error: jobErrors.wrongTokens };
  const bound = tokenBound(deps, answer);
  const length = prompt.tokens.length + bound.ofText + bound.aroundCalls;
  if (prompt.tokens.length === 0 || length >= loaded.wholeContextTokens) {
    return { kind: "failed", error: contextExceeded(length, loaded.wholeContextTokens) };
  }
  if (length >= loaded.contextTokens) return { kind: "failed", error: jobErrors.contextTooSmall };
  const startedAt = clock();
  const loan = await loaded.sequences.lend(prompt.tokens, deps.cacheOwner);
  try {
    const most = loaded.contextTokens - prompt.tokens.length - bound.aroundCalls - 1;
    const told = toldTokens(loaded.model, answer.written, most);
    let reader = new AnswerReader({ of, answer }, prompt, loan, deps, told);
    let stop = await reader.read();
    if (stop === "not-told") {
      reader = new AnswerReader({ of, answer }, prompt, loan, deps, null);
      stop = await reader.read();
    }
    step(null);
    if (stop !== null && typeof stop === "object") return stop;
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
): { readonly ofText: number; readonly aroundCalls: number } {
  const calls = toolCalls.map((call) => model.tokenize(`${call.name}${call.arguments}`, false).length);
  const ofText = calls.reduce((sum, each) => sum + each, model.tokenize(text, false).length);
  return { ofText, aroundCalls: aroundCall * calls.length };
}

/** A passage of an answer, and how its text shows in the answer. */
type Part = Pick<Passage, "text" | "enforced" | "end" | "ends"> & {
  /** Texts that end it, besides those of its grammar. */
  readonly stopTexts: readonly string[];
  /** Whether a device that writes these tokens gives this answer. */
  readonly gives: (told: ToldText) => boolean;
  /** The end of a told passage that does not show its end. */
  readonly openEnd: PassageEnd;
  /** Tokens that no device writes in it. */
  readonly refused?: readonly Token[];
};

/** Reads the passages of an answer, one after the other. */
class AnswerReader {
  readonly #replay: TextReplay;
  readonly #prompt: Prompt;
  readonly #loan: SequenceLoan;
  readonly #deps: ReplayDeps;
  /** The told tokens of each passage. Null: none are told. */
  readonly #told: readonly (readonly Token[])[] | null;
  /** The told passages that were read. */
  #toldRead = 0;
  /** All tokens up to the next passage. */
  #context: readonly Token[];
  /** Those that the model wrote. */
  #written: readonly Token[] = [];
  #fits: readonly TokenFit[] = [];

  constructor(
    replayed: TextReplay,
    prompt: Prompt,
    loan: SequenceLoan,
    deps: ReplayDeps,
    told: readonly (readonly Token[])[] | null,
  ) {
    this.#replay = replayed;
    this.#prompt = prompt;
    this.#loan = loan;
    this.#deps = deps;
    this.#told = told;
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
    const stop = hasCalls ? await this.#readCalls(of.request) : await this.#readText();
    return stop === null && this.#hasMoreTold ? "not-told" : stop;
  }

  /** Whether more is told than the answer has. The bound of tokens may cut the name of a call, which does not show in the answer. */
  get #hasMoreTold(): boolean {
    const { of, answer } = this.#replay;
    const tools = of.kind === "chat" ? callableTools(of.request) : [];
    const cutNames = answer.finishReason === "length" && tools.length > 1 ? 1 : 0;
    return this.#told !== null && this.#told.length > this.#toldRead + cutNames;
  }

  async #readText(): Promise<Stop> {
    const { of, answer } = this.#replay;
    const { request } = of;
    const enforced = await this.#enforced();
    if (enforced !== null && "kind" in enforced) return enforced;
    const end = endOf(answer, request, enforced);
    const ends = enforced === null ? this.#prompt : noEnds;
    const shown = this.#shownText(enforced);
    const openEnd = answer.finishReason === "stop" ? "model" : "none";
    return await this.#readTries(
      { text: answer.text, enforced, end, ends, openEnd, ...shown },
      checksText(request),
    );
  }

  /** How the tokens of an answer without calls show in it. The bound of tokens may have cut the name of its first call. */
  #shownText(enforced: Enforced | null): Pick<Part, "stopTexts" | "gives" | "refused"> {
    const { of, answer } = this.#replay;
    const { model, wrapper } = this.#deps.loaded;
    const { stop } = of.request;
    const tools = of.kind === "chat" ? callableTools(of.request) : [];
    const syntax = tools.length === 0 ? null : callSyntax(model, wrapper);
    const callTexts = syntax?.trigger.kind === "texts" && enforced === null ? syntax.trigger.texts : [];
    const starts = syntax === null || enforced === null ? [] : callStarts(model, syntax, tools);
    const isCut = answer.finishReason === "length";
    const gives = ({ text, end }: ToldText): boolean => {
      const stopText = end?.kind === "stop-text" ? end.text : null;
      const isOwnStop = stopText !== null && stop.includes(stopText);
      const matcher = new CallMatcher(starts);
      const shown = matcher.push(text);
      const beginsCall =
        matcher.call !== null || (stopText !== null && !isOwnStop && callTexts.includes(stopText));
      if (beginsCall && !isCut) return false;
      const whole = isCut || stopText !== null ? shown : shown + matcher.held;
      const isTrimmed = enforced?.trimEnd === true && !isCut && !isOwnStop;
      return answer.text === (isTrimmed ? whole.trimEnd() : whole);
    };
    return {
      stopTexts: [...stop, ...(enforced === null ? this.#prompt.stopTexts : []), ...callTexts],
      gives,
      // A device begins a call there, so its answer would have one.
      refused: syntax?.trigger.kind === "token" && enforced === null ? [syntax.trigger.token] : [],
    };
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
      this.#context = [...this.#context, ...syntax.beforeArguments];
      const isCut = index === calls.length - 1 && answer.finishReason === "length";
      const stop = await this.#readTries(
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
      const gives = (told: ToldText): boolean => told.text === text;
      const stop = await this.#readTries(
        { text, enforced, end: "model", ends: noEnds, stopTexts: request.stop, gives, openEnd: "model" },
        checksText(request),
      );
      this.#context = before;
      return stop;
    }
    const ownStops = [...request.stop, ...this.#prompt.stopTexts];
    if (trigger.kind === "token") {
      const ends = { stopTokens: new Set([trigger.token]), stopTexts: [] };
      const gives = ({ text, end }: ToldText): boolean => text === answer.text && end === null;
      return await this.#readTries(
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
    const stop = await this.#readTries(
      { text, enforced, end: "none", ends, stopTexts, gives, openEnd: "none" },
      false,
    );
    const kept = tokensBefore(model, this.#context.slice(before.length), before, answer.text.length);
    this.#context = this.#context.slice(0, before.length + kept);
    return stop;
  }

  /**
   * Reads a passage that the model wrote. If a device may have written it several times until it held its schema, it is compared with
   * each of these tries, and the one that fits best counts.
   */
  async #readTries(part: Part, isRetried: boolean): Promise<Stop> {
    const { of } = this.#replay;
    const passage = this.#told === null ? { ...part, told: null } : this.#toldPassage(part, this.#told);
    if (passage === null) return "not-told";
    let best: PassageRead | null = null;
    let isOnceNotTold = false;
    for (let tries = 0; tries < (isRetried ? mostTries : 1); tries += 1) {
      this.#deps.step("prefill");
      const request: Sampling = askedAgain(of.request, tries);
      const whole = { ...passage, request, before: this.#context, written: this.#written };
      const read = await readPassage(whole, this.#loan, this.#deps);
      if (read === null) return { kind: "aborted" };
      // The draws of another try may be those of the told tokens.
      if (read === "not-told") {
        isOnceNotTold = true;
        continue;
      }
      if (read === "too-slow") return { kind: "failed", error: jobErrors.requestTimeout };
      if (best === null || missesIn(read) < missesIn(best)) best = read;
      if (missesIn(best) === 0) break;
    }
    if (isOnceNotTold && (best === null || !isHonest(best))) return "not-told";
    if (best === null) return null;
    this.#fits = [...this.#fits, ...best.fits];
    this.#written = [...this.#written, ...best.tokens];
    this.#context = [...this.#context, ...best.tokens];
    return best.isWhole ? null : "stop";
  }

  /** A passage with its told tokens, which show how it ended. Null if they are not those of the answer. */
  #toldPassage(
    { text, enforced, ends, stopTexts, gives, openEnd, refused = [] }: Part,
    passages: readonly (readonly Token[])[],
  ): Omit<Passage, "before" | "request" | "written"> | null {
    const { model } = this.#deps.loaded;
    const isFirst = this.#toldRead === 0;
    const told = passages[this.#toldRead];
    this.#toldRead += 1;
    if (told === undefined) return null;
    const own = enforced === null ? this.#prompt.stopTokens : [];
    const notWritten = new Set([...ends.stopTokens, ...own, ...refused]);
    const found = textOfTold(model, told, notWritten, { before: this.#context, enforced, stopTexts });
    if (found === null || !gives(found)) return null;
    const end = found.end === null && !found.isEndless ? openEnd : "none";
    // Nothing at all might be compared.
    if (isFirst && text === "" && told.length === 0 && end === "none") return null;
    return { text, told, enforced, end, ends: { stopTokens: ends.stopTokens, stopTexts: [] } };
  }
}

function missesIn({ fits }: PassageRead): number {
  return fits.filter(({ regret }) => regret > missRegret).length;
}

function isHonest({ fits }: PassageRead): boolean {
  return verdictOf(replayOf(fits), defaultLimits) === "fits";
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
