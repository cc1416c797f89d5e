import type { ControlledEvaluateInputItem, LlamaModel, SequenceEvaluateOptions, Token } from "node-llama-cpp";
import type { RequestStep } from "../../../app/contract/runner.ts";
import type { Sampling } from "../../../app/jobs/sampling.ts";
import { DrawnPaths, type Place } from "../../../app/trust/drawn-paths.ts";
import { missRegret } from "../../../app/trust/replay.ts";
import { SeededDraws } from "../../../app/trust/seeded-draws.ts";
import type { TokenFit } from "../../../app/trust/token-fit.ts";
import type { Enforced } from "../generate/grammars.ts";
import { prefill, type PrefillSlices } from "../generate/prefill.ts";
import type { Prompt } from "../generate/prompt.ts";
import { evaluateOptions, seedOf } from "../generate/sampling.ts";
import { SamplingWatch } from "../generate/sampling-watch.ts";
import { vocabularySize } from "../generate/vocabulary.ts";
import type { LoadedModel } from "../load/load-model.ts";
import type { SequenceLoan } from "../load/sequences.ts";
import type { JobPace } from "../process/duty-cycle.ts";
import { GrammarState } from "./grammar-state.ts";

export type ReplayDeps = JobPace & {
  readonly loaded: LoadedModel;
  readonly slices: PrefillSlices;
  readonly cacheOwner: string | undefined;
  readonly step: (step: RequestStep | null) => void;
};

/**
 * The end of a passage. `model`: the model ended it, which is compared, too. `text`: that, or a text that is cut off. `none`: it was cut.
 * `empty`: the passage has no text, so its first token is one that does not show, which is compared. `call`: the token that begins a call,
 * which is compared, too.
 */
export type PassageEnd = "model" | "text" | "none" | "empty" | "call";

/** A part of an answer that the model wrote in one go, with draws and a grammar of its own. */
export type Passage = {
  /** All tokens before it. */
  readonly before: readonly Token[];
  readonly text: string;
  /** The tokens of its text, as the device told them. Null: they are looked for. */
  readonly told: readonly Token[] | null;
  readonly request: Sampling;
  readonly enforced: Enforced | null;
  readonly end: PassageEnd;
  /** Besides those of the request. */
  readonly ends: Pick<Prompt, "stopTokens" | "stopTexts">;
  /** Tokens that the model wrote in passages before, for the request's penalties. */
  readonly written: readonly Token[];
};

/** `tokens`: those of the text, as they were compared. `isWhole`: the text was compared to its end. */
export type PassageRead = {
  readonly fits: readonly TokenFit[];
  readonly tokens: readonly Token[];
  readonly isWhole: boolean;
};

/** The likeliest tokens that are compared at each place. Others are less likely than one in thousands. */
const mostCandidates = 256;
/** Tokens in one step. Each one takes memory for the logits of the whole vocabulary: 64 of 150,000 take 38 MB. */
const sliceTokens = 64;
/** After a step whose rest was of no use, the next ones are short. */
const fewTokens = 4;
/** A text has several tokenizations. So often at most, another one takes the place of the usual one. */
const mostCorrections = 16;
/** Two computers differ by no more, so a token with less regret is the right one, if no other of the same text has as little. */
const sureRegret = 0.005;
/** They differ by more where a grammar demands tokens that the model would hardly write. */
const sureAmongUnlikely = 0.1;
/** How often it is looked for. A wrong answer would need it at each token. */
const mostSearches = 64;
/** So many tokens before one that does not fit may be those that are tokenized otherwise. */
const tokensBefore = 4;
/**
 * How often all tokens of the vocabulary are looked at, for one that is none of the likeliest and that a grammar demands. Told tokens have
 * no such bound: each of them is judged, and to look takes about as long as to write it.
 */
const mostLooks = 32;
/** Of told tokens that do not count, this share may have more regret than honest ones. In a text of single letters nearly all have. */
const mostOddShare = 0.25;
/** Fewer odd ones tell nothing of how the others were split. */
const leastOdd = 3;
/** No token has the text of so many others. */
const longestToken = 32;
/** llama.cpp takes this seed for none. */
const noSeed = 2 ** 32 - 1;
/** Of a token that the grammar refuses. */
const impossible: Place = { candidates: [], unlisted: { count: 0, most: 0 }, allows: null, isForced: false };

function isCompared(end: PassageEnd): boolean {
  return end === "model" || end === "empty" || end === "call";
}

/** The tokens of a text that follows others. Some vocabularies begin each text with a blank, which is taken out. */
function tokensOf(model: LlamaModel, text: string, before: readonly Token[]): Token[] {
  const last = before.slice(-16);
  const usual = model.tokenize(text, false);
  if (model.detokenize(usual, false, last) === text) return usual;
  const trimmed = model.tokenize(text, false, "trimLeadingSpace");
  return model.detokenize(trimmed, false, last) === text ? trimmed : usual;
}

/** `too-slow`: its grammar takes too long. `not-told`: the told tokens do not fit the grammar or its draws. Null: aborted. */
type PassageOutcome = PassageRead | "too-slow" | "not-told" | null;

/** Compares the tokens of a passage, and the one that ends it, with those that this model writes by the same seed. */
export async function readPassage(
  passage: Passage,
  loan: SequenceLoan,
  deps: ReplayDeps,
): Promise<PassageOutcome> {
  const { sequence } = loan;
  const { batches } = deps.loaded;
  // The tokens before it are read already as far as they are those of the passage before. Its last token is read with its own.
  const known = sequence.contextTokens;
  const differs = passage.before.findIndex((token, at) => token !== known[at]);
  const same = Math.min(differs === -1 ? passage.before.length : differs, passage.before.length - 1);
  await batches.eraseFrom(sequence, same);
  if (!(await prefill(sequence, passage.before.slice(same, -1), { ...deps, batches }))) return null;
  return await new PassageReader(passage, loan, deps).read();
}

/**
 * `again`: another tokenization took the place of the usual one, so the tokens after it are to be read again. `look`: all candidates of
 * the place are needed. `stop`: nothing can be told of the rest. `not-told`: the told tokens are hardly those that the model wrote.
 */
type Compared = "on" | "again" | "look" | "stop" | "not-told";

class PassageReader {
  readonly #passage: Passage;
  readonly #loan: SequenceLoan;
  readonly #deps: ReplayDeps;
  readonly #draws: number[] = [];
  readonly #random: SeededDraws | null;
  readonly #texts = new Map<Token, string>();
  /** Choosing tokens that fit a grammar may take very long. */
  readonly #watch = new SamplingWatch(() => undefined);
  /** The tokens of the text, of which the compared ones may have been corrected. */
  readonly #tokens: Token[];
  /** The compared places, and the ways to the end of each. */
  readonly #places: Place[] = [];
  readonly #paths: DrawnPaths[];
  /** How far the grammar is before a place: the newest one, or one of the last ones. */
  #grammar: { readonly at: number; readonly state: GrammarState } | null = null;
  /** The first place at which two tokens of the same text fit; null if there is none. */
  #ambiguous: number | null = null;
  /** The tokens that were tried at a place. */
  readonly #tried = new Map<number, Set<Token>>();
  /** Tokens that the next step reads. */
  #stepTokens = sliceTokens;
  #corrections = 0;
  #looks = 0;
  #searches = 0;

  constructor(passage: Passage, loan: SequenceLoan, deps: ReplayDeps) {
    const { text, told, before, request } = passage;
    const { model } = deps.loaded;
    this.#passage = passage;
    this.#loan = loan;
    this.#deps = deps;
    const seed = seedOf(request);
    this.#random = seed === noSeed ? null : new SeededDraws(seed);
    // The bound of tokens may have cut a character.
    const isCut = passage.enforced !== null && passage.end === "none";
    this.#tokens =
      told === null ? tokensOf(model, isCut ? text.replace(/\uFFFD$/, "") : text, before) : [...told];
    const drawn = {
      choice: request,
      numberAt: (at: number) => this.#drawAt(at),
      isGrammarFirst: request.logprobs !== undefined,
    };
    this.#paths = [new DrawnPaths(drawn)];
  }

  async read(): Promise<PassageOutcome> {
    const tokens = this.#tokens;
    if (this.#isAnySplit) return "not-told";
    const count = (): number => tokens.length + (isCompared(this.#passage.end) ? 1 : 0);
    while (this.#places.length < count()) {
      const slice = await this.#slice(count());
      if (slice === null) return null;
      this.#stepTokens = Math.min(sliceTokens, 2 * this.#stepTokens);
      const { enforced } = this.#passage;
      if (enforced !== null) this.#deps.step("sample");
      for (const candidates of slice) {
        let next = this.#timed(candidates);
        const isLook = next === "look";
        if (isLook) {
          await this.#eraseFrom(this.#places.length);
          const all = await this.#slice(this.#places.length + 1, vocabularySize(this.#deps.loaded.model));
          if (all === null) return null;
          next = this.#timed(all[0] ?? []);
        }
        if (this.#watch.isTooSlow) return "too-slow";
        if (next === "not-told") return next;
        if (next === "look" && this.#passage.told !== null) return "not-told";
        if (next === "stop" || next === "look") return { fits: this.#fits(), tokens, isWhole: false };
        if (next === "on" && !isLook) continue;
        // The sequence may hold tokens that followed another tokenization.
        await this.#eraseFrom(this.#places.length);
        this.#stepTokens = fewTokens;
        break;
      }
      if (enforced !== null) this.#deps.step("prefill");
    }
    return this.#isOddSplit ? "not-told" : { fits: this.#fits(), tokens, isWhole: true };
  }

  /** Whether numbers that are not known chose the told tokens. Then each split of the text is possible. */
  get #isAnySplit(): boolean {
    const { told, request } = this.#passage;
    return told !== null && this.#random === null && request.temperature > 0;
  }

  /**
   * Whether the model hardly wrote the told tokens where a grammar demands the text. Such tokens do not count, so a device could
   * split the text as it likes, and be paid for each part.
   */
  get #isOddSplit(): boolean {
    if (this.#passage.told === null) return false;
    const others = this.#paths.at(-1)?.uncounted() ?? [];
    const odd = others.filter(({ regret }) => regret > sureAmongUnlikely).length;
    return odd >= leastOdd && odd > mostOddShare * others.length;
  }

  /** Keeps the tokens before the one that is read for a place. */
  async #eraseFrom(place: number): Promise<void> {
    await this.#deps.loaded.batches.eraseFrom(this.#loan.sequence, this.#passage.before.length + place - 1);
  }

  #timed(candidates: Place["candidates"]): Compared {
    this.#watch.begin();
    try {
      return this.#compare(candidates);
    } finally {
      this.#watch.end();
    }
  }

  #fits(): readonly TokenFit[] {
    return this.#paths.at(-1)?.fits() ?? [];
  }

  /** Compares the token at the next place. */
  #compare(candidates: Place["candidates"]): Compared {
    const at = this.#places.length;
    const usual = this.#tokens[at];
    if (usual !== undefined && this.#passage.enforced !== null && !this.#allow(at)) {
      if (this.#passage.told !== null) return "not-told";
      // The text is none of the grammar's. It counts as one token that the model cannot write.
      this.#push(usual, impossible);
      return "stop";
    }
    this.#push(this.#tokens[at], this.#placeOf(candidates, at));
    if (this.#paths.at(-1)?.isVague === true) {
      this.#places.pop();
      this.#paths.pop();
      this.#looks += 1;
      if (this.#passage.told === null) return this.#looks > mostLooks ? "stop" : "look";
      // A split that no model writes would need many looks.
      return this.#isOddSplit ? "not-told" : "look";
    }
    if (this.#passage.told !== null) return "on";
    const corrected = this.#correct();
    if (corrected === null) {
      if (this.#isAmbiguous(at)) this.#ambiguous ??= at;
      if (this.#ambiguous !== null && this.#ambiguous < at && this.#newestRegret() > missRegret) {
        // The model may have read another tokenization of the text before.
        this.#places.pop();
        this.#paths.pop();
        return "stop";
      }
      const isLost = this.#isExhausted && this.#newestRegret() > missRegret;
      if (this.#passage.enforced === null || !isLost) return this.#tokens[at] === usual ? "on" : "again";
      // A grammar has texts be tokenized in unusual ways more often, so honest tokens may not fit from here on.
      this.#places.pop();
      this.#paths.pop();
      return "stop";
    }
    const place = this.#places[corrected];
    this.#places.length = corrected;
    this.#paths.length = corrected + 1;
    if (this.#ambiguous !== null && this.#ambiguous >= corrected) this.#ambiguous = null;
    if (place !== undefined) this.#push(this.#tokens[corrected], place);
    return "again";
  }

  #newestRegret(): number {
    return this.#paths.at(-1)?.newest.regret ?? 0;
  }

  #push(token: Token | undefined, place: Place): void {
    const paths = this.#paths.at(-1);
    if (paths === undefined) return;
    this.#places.push(place);
    this.#paths.push(this.#pathsWith(paths, token, place));
  }

  /** With the token of a place. Beyond the last one it is the likeliest end. */
  #pathsWith(paths: DrawnPaths, token: Token | undefined, place: Place): DrawnPaths {
    if (token !== undefined) return paths.with(token, place);
    const ends = place.candidates.filter((each) => this.#isEnd(each.token as Token));
    const allowed = ends.filter((each) => place.allows?.(each.token) !== false);
    const [best = paths.with(-1, place)] = allowed
      .map((end) => paths.with(end.token, place))
      .toSorted((one, other) => one.newest.regret - other.newest.regret);
    return best;
  }

  /** The grammar after the tokens before a place. */
  #grammarAt(at: number, { grammar }: Enforced): GrammarState {
    const known = this.#grammar;
    const token = this.#tokens[at - 1];
    if (known?.at === at) return known.state;
    const { model } = this.#deps.loaded;
    const isNext = known?.at === at - 1 && token !== undefined;
    const state = isNext ? known.state : new GrammarState(model, grammar, this.#tokens.slice(0, at));
    if (isNext) state.accept(token);
    this.#grammar = { at, state };
    return state;
  }

  #placeOf(candidates: Place["candidates"], at: number): Place {
    const size = vocabularySize(this.#deps.loaded.model);
    const unlisted = {
      count: Math.max(0, size - candidates.length),
      most: candidates.at(-1)?.probability ?? 0,
    };
    const { enforced } = this.#passage;
    if (enforced === null) return { candidates, unlisted, allows: null, isForced: false };
    const known = new Map<number, boolean>();
    const allows = (token: number): boolean => {
      const allowed = known.get(token) ?? this.#grammarAt(at, enforced).allows(token as Token);
      known.set(token, allowed);
      return allowed;
    };
    return { candidates, unlisted, allows, isForced: this.#isForced(candidates, at, allows) };
  }

  /** Whether all tokens that the grammar allows write the text that is there. A text has several tokenizations. */
  #isForced(candidates: Place["candidates"], at: number, allows: (token: number) => boolean): boolean {
    const rest = this.#textFrom(at, at + longestToken);
    return candidates.slice(0, mostCandidates).every((each) => {
      const token = each.token as Token;
      const piece = this.#textOf(token);
      const isSame =
        rest === "" ? this.#isEnd(token) : piece !== "" && (rest.startsWith(piece) || piece.startsWith(rest));
      return isSame || !allows(token);
    });
  }

  /**
   * Has the grammar allow the token at a place. Some vocabularies begin a text with a blank, so another tokenization may be needed.
   * Returns false if the grammar allows none of this text.
   */
  #allow(at: number): boolean {
    const { enforced } = this.#passage;
    const { model } = this.#deps.loaded;
    const usual = this.#tokens[at];
    if (enforced === null || usual === undefined) return true;
    const grammar = this.#grammarAt(at, enforced);
    if (grammar.allows(usual)) return true;
    if (this.#passage.told !== null) return false;
    const rest = this.#textFrom(at);
    const [character = ""] = rest;
    const left = tokensOf(model, rest.slice(character.length), this.#before(at));
    const found = [
      model.tokenize(rest, false, "trimLeadingSpace"),
      [...model.tokenize(character, false, "trimLeadingSpace"), ...left],
    ].find(([first]) => first !== undefined && grammar.allows(first));
    if (found !== undefined) this.#tokens.splice(at, this.#tokens.length - at, ...found);
    return found !== undefined;
  }

  /** The candidates for the next places of the answer, as many as one step reads. Null if aborted. */
  async #slice(places: number, most = mostCandidates): Promise<readonly Place["candidates"][] | null> {
    const { loaded, slices, signal, pace } = this.#deps;
    const { sequence } = this.#loan;
    const wait = pace();
    if (wait !== null) await wait;
    if (signal.aborted) return null;
    const from = this.#places.length;
    const to = Math.min(places, from + Math.min(this.#stepTokens, slices.size));
    const input: ControlledEvaluateInputItem[] = [];
    for (let at = from; at < to; at += 1) {
      const before = at === 0 ? this.#passage.before.at(-1) : this.#tokens[at - 1];
      if (before === undefined) break;
      input.push([before, { generateNext: { probabilities: true, options: this.#optionsAt(at, most) } }]);
    }
    const read = await loaded.batches.step(async () => {
      if (signal.aborted) return null;
      return await slices.measure(input.length, () => sequence.controlledEvaluate(input));
    });
    if (read === null) return null;
    return input.map((_, index) =>
      [...(read[index]?.next.probabilities ?? [])]
        .map(([token, probability]) => ({ token, probability }))
        .filter(({ probability }) => probability > 0),
    );
  }

  /** With the request's biases and penalties, but not its temperature. */
  #optionsAt(at: number, topK: number): Omit<SequenceEvaluateOptions, "grammarEvaluationState"> {
    const written = [...this.#passage.written, ...this.#tokens.slice(0, at)];
    const own = evaluateOptions(this.#deps.loaded.model, this.#passage.request, null, written, {
      begin: () => undefined,
    });
    const { repeatPenalty, tokenBias } = own;
    return {
      temperature: 1,
      topK,
      topP: 1,
      minP: 0,
      seed: 0,
      ...(repeatPenalty === undefined ? {} : { repeatPenalty }),
      ...(tokenBias === undefined ? {} : { tokenBias }),
    };
  }

  #isEnd(token: Token): boolean {
    const { model } = this.#deps.loaded;
    const { ends, end } = this.#passage;
    if (end === "call") return ends.stopTokens.has(token);
    if (model.isEogToken(token) || ends.stopTokens.has(token)) return true;
    const text = model.detokenize([token], true);
    if (text !== "" && ends.stopTexts.some((each) => each.startsWith(text))) return true;
    return end === "empty" && this.#isHidden(token);
  }

  /** Whether an answer without text may begin with a token: a control token, or the beginning of a stop text. */
  #isHidden(token: Token): boolean {
    const piece = this.#textOf(token);
    // A stop text may begin with a character of several tokens.
    const isPart = piece.includes("\uFFFD");
    const begins = (stop: string): boolean => isPart || stop.startsWith(piece) || piece.startsWith(stop);
    return piece === "" || this.#passage.request.stop.some(begins);
  }

  #drawAt(at: number): number | null {
    if (this.#random === null) return null;
    while (this.#draws.length <= at) this.#draws.push(this.#random.next());
    return this.#draws[at] ?? null;
  }

  get #isExhausted(): boolean {
    return this.#corrections >= mostCorrections || this.#searches >= mostSearches;
  }

  /**
   * Looks for another tokenization of the text, if the newest token does not fit. It may begin a few tokens before, where equally
   * likely tokens fitted by chance. Returns the place of the corrected token; null if there is none.
   */
  #correct(): number | null {
    const newest = this.#places.length - 1;
    const regret = this.#newestRegret();
    if (regret <= sureRegret) return null;
    const first = regret > missRegret ? Math.max(0, newest - tokensBefore) : newest;
    for (let at = newest; at >= first; at -= 1) if (this.#correctAt(at)) return at;
    return null;
  }

  /** Puts a token that fits into the answer, if the text goes on with it, too. Returns whether it did. */
  #correctAt(at: number): boolean {
    const { model } = this.#deps.loaded;
    const [place, paths] = [this.#places[at], this.#paths[at]];
    if (this.#isExhausted || at >= this.#tokens.length || place === undefined || paths === undefined)
      return false;
    this.#searches += 1;
    const rest = this.#textFrom(at);
    const usual = this.#tokens[at];
    const tried = this.#tried.get(at) ?? new Set();
    for (const token of this.#sameText(place, rest)) {
      if (token === usual || tried.has(token) || this.#isEnd(token)) continue;
      if (paths.with(token, place).newest.regret > sureRegret) continue;
      this.#corrections += 1;
      if ((this.#grammar?.at ?? 0) > at) this.#grammar = null;
      for (const later of [...this.#tried.keys()]) if (later > at) this.#tried.delete(later);
      if (usual !== undefined) tried.add(usual);
      this.#tried.set(at, tried.add(token));
      const left = rest.slice(this.#textOf(token).length);
      const following = left === "" ? [] : tokensOf(model, left, [...this.#before(at), token]);
      this.#tokens.splice(at, this.#tokens.length - at, token, ...following);
      return true;
    }
    return false;
  }

  /** The candidates that may write the beginning of a text. */
  *#sameText({ candidates, allows }: Place, rest: string): Generator<Token> {
    for (const { token: other } of candidates) {
      const token = other as Token;
      const piece = this.#textOf(token);
      if (piece === "" || (!rest.startsWith(piece) && !this.#isCut(piece, rest))) continue;
      if (allows?.(token) !== false) yield token;
    }
  }

  /** Whether another token of the same text fits as well as the newest one. Only a grammar makes unusual ones likely. */
  #isAmbiguous(at: number): boolean {
    const [place, paths, token] = [this.#places[at], this.#paths[at], this.#tokens[at]];
    if (this.#passage.enforced === null || place === undefined || paths === undefined || token === undefined)
      return false;
    const sure = this.#paths.at(-1)?.isUnlikely === true ? sureAmongUnlikely : sureRegret;
    for (const other of this.#sameText(place, this.#textFrom(at, at + longestToken)))
      if (other !== token && paths.with(other, place).newest.regret <= sure) return true;
    return false;
  }

  /** Whether a token may write the end of the text and what was cut off. A stop text may begin within the last token. */
  #isCut(piece: string, rest: string): boolean {
    const { request, ends, end, enforced } = this.#passage;
    if (end === "none" || !piece.startsWith(rest)) return false;
    if (request.stop.length > 0 || ends.stopTexts.length > 0) return true;
    return enforced?.trimEnd === true && piece.slice(rest.length).trim() === "";
  }

  #before(at: number): readonly Token[] {
    return [...this.#passage.before.slice(-16), ...this.#tokens.slice(0, at)].slice(-16);
  }

  /** The text from a place on. A grammar compares the text of control tokens, too. */
  #textFrom(at: number, to?: number): string {
    const { model } = this.#deps.loaded;
    return model.detokenize(this.#tokens.slice(at, to), this.#passage.enforced !== null, this.#before(at));
  }

  /** The text of a token that follows others. */
  #textOf(token: Token): string {
    const known = this.#texts.get(token);
    if (known !== undefined) return known;
    const text = this.#deps.loaded.model.detokenize(
      [token],
      this.#passage.enforced !== null,
      this.#passage.before.slice(-16),
    );
    this.#texts.set(token, text);
    return text;
  }
}
