import type { Token } from "node-llama-cpp";
import { DrawnPaths, type Place } from "../../../app/trust/drawn-paths.ts";
import { missRegret } from "../../../app/trust/replay.ts";
import { SeededDraws } from "../../../app/trust/seeded-draws.ts";
import type { TokenFit } from "../../../app/trust/token-fit.ts";
import { seedOf } from "../generate/sampling.ts";
import { SamplingWatch } from "../generate/sampling-watch.ts";
import { vocabularySize } from "../generate/vocabulary.ts";
import type { SequenceLoan } from "../load/sequences.ts";
import { CandidateReader, mostCandidates } from "./candidate-reader.ts";
import type { Passage, PassageEnd, PassageRead, ReplayDeps } from "./passage.ts";
import { PassageGrammar } from "./passage-grammar.ts";
import { PassageTokens } from "./passage-tokens.ts";

/** A text has several tokenizations. So often at most, another one takes the place of the usual one. */
const mostCorrections = 16;
/** How often another one is looked for. A wrong answer would need it at each token. */
const mostSearches = 64;
/** Two computers differ by no more, so a token with less regret is the right one, if no other of the same text has as little. */
const sureRegret = 0.005;
/** They differ by more where a grammar demands tokens that the model would hardly write. */
const sureAmongUnlikely = 0.1;
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
/** llama.cpp takes this seed for none. */
const noSeed = 2 ** 32 - 1;
/** Of a token that the grammar refuses. */
const impossible: Place = { candidates: [], unlisted: { count: 0, most: 0 }, allows: null, isForced: false };

function isCompared(end: PassageEnd): boolean {
  return end === "model" || end === "empty" || end === "call";
}

/** `too-slow`: its grammar takes too long. `not-told`: the told tokens do not fit the grammar or its draws. Null: aborted. */
type PassageOutcome = PassageRead | "too-slow" | "not-told" | null;

/** Compares the tokens of a passage, and the one that ends it, with those that this model writes by the same seed. */
export async function readPassage(
  passage: Passage,
  loan: SequenceLoan,
  deps: ReplayDeps,
): Promise<PassageOutcome> {
  const tokens = new PassageTokens(passage, deps.loaded.model);
  const candidates = new CandidateReader(passage, tokens, loan, deps);
  if (!(await candidates.begin())) return null;
  return await new PassageReader(passage, tokens, candidates, deps).read();
}

/**
 * `again`: another tokenization took the place of the usual one, so the tokens after it are to be read again. `look`: all candidates of
 * the place are needed. `stop`: nothing can be told of the rest. `not-told`: the told tokens are hardly those that the model wrote.
 */
type Compared = "on" | "again" | "look" | "stop" | "not-told";

class PassageReader {
  readonly #passage: Passage;
  readonly #tokens: PassageTokens;
  readonly #candidates: CandidateReader;
  readonly #deps: ReplayDeps;
  /** Null: the text is free. */
  readonly #grammar: PassageGrammar | null;
  readonly #draws: number[] = [];
  readonly #random: SeededDraws | null;
  /** Choosing tokens that fit a grammar may take very long. */
  readonly #watch = new SamplingWatch(() => undefined);
  /** The compared places, and the ways to the end of each. */
  readonly #places: Place[] = [];
  readonly #paths: DrawnPaths[];
  /** The first place at which two tokens of the same text fit; null if there is none. */
  #ambiguous: number | null = null;
  /** The tokens that were tried at a place. */
  readonly #tried = new Map<number, Set<Token>>();
  #corrections = 0;
  #looks = 0;
  #searches = 0;

  constructor(passage: Passage, tokens: PassageTokens, candidates: CandidateReader, deps: ReplayDeps) {
    const { request, enforced } = passage;
    this.#passage = passage;
    this.#tokens = tokens;
    this.#candidates = candidates;
    this.#deps = deps;
    this.#grammar =
      enforced === null ? null : new PassageGrammar(enforced.grammar, tokens, deps.loaded.model);
    const seed = seedOf(request);
    this.#random = seed === noSeed ? null : new SeededDraws(seed);
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
      const slice = await this.#candidates.read(this.#places.length, count());
      if (slice === null) return null;
      if (this.#grammar !== null) this.#deps.step("sample");
      for (const candidates of slice) {
        let next = this.#timed(candidates);
        const isLook = next === "look";
        if (isLook) {
          await this.#candidates.eraseFrom(this.#places.length);
          const all = await this.#candidates.readAll(this.#places.length);
          if (all === null) return null;
          next = this.#timed(all);
        }
        if (this.#watch.isTooSlow) return "too-slow";
        if (next === "not-told") return next;
        if (next === "look" && this.#passage.told !== null) return "not-told";
        if (next === "stop" || next === "look")
          return { fits: this.#fits(), tokens: tokens.all, isWhole: false };
        if (next === "on" && !isLook) continue;
        // The sequence may hold tokens that followed another tokenization.
        await this.#candidates.eraseFrom(this.#places.length);
        this.#candidates.shortenSteps();
        break;
      }
      if (this.#grammar !== null) this.#deps.step("prefill");
    }
    return this.#isOddSplit ? "not-told" : { fits: this.#fits(), tokens: tokens.all, isWhole: true };
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
    const usual = this.#tokens.at(at);
    if (usual !== undefined && this.#grammar?.allows(usual, at) === false) {
      if (this.#passage.told !== null) return "not-told";
      if (!this.#grammar.replaceRefused(at)) {
        // The text is none of the grammar's. It counts as one token that the model cannot write.
        this.#push(usual, impossible);
        return "stop";
      }
    }
    this.#push(this.#tokens.at(at), this.#placeOf(candidates, at));
    if (this.#paths.at(-1)?.isVague === true) {
      this.#pop();
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
        this.#pop();
        return "stop";
      }
      const isLost = this.#isExhausted && this.#newestRegret() > missRegret;
      if (this.#grammar === null || !isLost) return this.#tokens.at(at) === usual ? "on" : "again";
      // A grammar has texts be tokenized in unusual ways more often, so honest tokens may not fit from here on.
      this.#pop();
      return "stop";
    }
    const place = this.#places[corrected];
    this.#places.length = corrected;
    this.#paths.length = corrected + 1;
    if (this.#ambiguous !== null && this.#ambiguous >= corrected) this.#ambiguous = null;
    if (place !== undefined) this.#push(this.#tokens.at(corrected), place);
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

  #pop(): void {
    this.#places.pop();
    this.#paths.pop();
  }

  /** With the token of a place. Beyond the last one it is the likeliest end. */
  #pathsWith(paths: DrawnPaths, token: Token | undefined, place: Place): DrawnPaths {
    if (token !== undefined) return paths.with(token, place);
    const ends = place.candidates.filter((each) => this.#tokens.isEnd(each.token as Token));
    const allowed = ends.filter((each) => place.allows?.(each.token) !== false);
    const [best = paths.with(-1, place)] = allowed
      .map((end) => paths.with(end.token, place))
      .toSorted((one, other) => one.newest.regret - other.newest.regret);
    return best;
  }

  #placeOf(candidates: Place["candidates"], at: number): Place {
    const size = vocabularySize(this.#deps.loaded.model);
    const unlisted = {
      count: Math.max(0, size - candidates.length),
      most: candidates.at(-1)?.probability ?? 0,
    };
    const grammar = this.#grammar;
    if (grammar === null) return { candidates, unlisted, allows: null, isForced: false };
    const known = new Map<number, boolean>();
    const allows = (token: number): boolean => {
      const allowed = known.get(token) ?? grammar.allows(token as Token, at);
      known.set(token, allowed);
      return allowed;
    };
    return { candidates, unlisted, allows, isForced: this.#isForced(candidates, at, allows) };
  }

  /** Whether all tokens that the grammar allows write the text that is there. A text has several tokenizations. */
  #isForced(candidates: Place["candidates"], at: number, allows: (token: number) => boolean): boolean {
    const rest = this.#tokens.textNear(at);
    return candidates.slice(0, mostCandidates).every((each) => {
      const token = each.token as Token;
      const piece = this.#tokens.textOf(token);
      const isSame =
        rest === ""
          ? this.#tokens.isEnd(token)
          : piece !== "" && (rest.startsWith(piece) || piece.startsWith(rest));
      return isSame || !allows(token);
    });
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
    const [place, paths] = [this.#places[at], this.#paths[at]];
    if (this.#isExhausted || at >= this.#tokens.length || place === undefined || paths === undefined)
      return false;
    this.#searches += 1;
    const rest = this.#tokens.textFrom(at);
    const usual = this.#tokens.at(at);
    const tried = this.#tried.get(at) ?? new Set();
    for (const token of this.#sameText(place, rest)) {
      if (token === usual || tried.has(token) || this.#tokens.isEnd(token)) continue;
      if (paths.with(token, place).newest.regret > sureRegret) continue;
      this.#corrections += 1;
      this.#grammar?.forgetAfter(at);
      for (const later of [...this.#tried.keys()]) if (later > at) this.#tried.delete(later);
      if (usual !== undefined) tried.add(usual);
      this.#tried.set(at, tried.add(token));
      const left = rest.slice(this.#tokens.textOf(token).length);
      this.#tokens.replaceFrom(at, [token, ...this.#tokens.usual(left, at, [token])]);
      return true;
    }
    return false;
  }

  /** The candidates that may write the beginning of a text. */
  *#sameText({ candidates, allows }: Place, rest: string): Generator<Token> {
    for (const { token: other } of candidates) {
      const token = other as Token;
      const piece = this.#tokens.textOf(token);
      if (piece === "" || (!rest.startsWith(piece) && !this.#tokens.isCut(piece, rest))) continue;
      if (allows?.(token) !== false) yield token;
    }
  }

  /** Whether another token of the same text fits as well as the newest one. Only a grammar makes unusual ones likely. */
  #isAmbiguous(at: number): boolean {
    const [place, paths, token] = [this.#places[at], this.#paths[at], this.#tokens.at(at)];
    if (this.#grammar === null || place === undefined || paths === undefined || token === undefined)
      return false;
    const sure = this.#paths.at(-1)?.isUnlikely === true ? sureAmongUnlikely : sureRegret;
    for (const other of this.#sameText(place, this.#tokens.textNear(at)))
      if (other !== token && paths.with(other, place).newest.regret <= sure) return true;
    return false;
  }
}
