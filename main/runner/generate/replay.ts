import type { ControlledEvaluateInputItem, LlamaModel, SequenceEvaluateOptions, Token } from "node-llama-cpp";
import { contextExceeded, jobErrors } from "../../../app/contract/job-errors.ts";
import type { RequestStep, RunOutcome } from "../../../app/contract/runner.ts";
import type { Sampling } from "../../../app/jobs/sampling.ts";
import { missRegret, replayOf, type TextReplay } from "../../../app/trust/replay.ts";
import { SeededDraws } from "../../../app/trust/seeded-draws.ts";
import { type Candidate, type TokenFit, tokenFit } from "../../../app/trust/token-fit.ts";
import type { LoadedModel } from "../load/load-model.ts";
import type { SequenceLoan } from "../load/sequences.ts";
import type { JobPace } from "../process/duty-cycle.ts";
import { prefill, type PrefillSlices } from "./prefill.ts";
import { type Prompt, promptOf } from "./prompt.ts";
import { evaluateOptions, seedOf } from "./sampling.ts";
import { vocabularySize } from "./vocabulary.ts";

type ReplayDeps = JobPace & {
  readonly loaded: LoadedModel;
  readonly slices: PrefillSlices;
  readonly cacheOwner: string | undefined;
  readonly step: (step: RequestStep | null) => void;
};

/** The likeliest tokens that are compared at each place. Others are less likely than one in thousands. */
const mostCandidates = 256;
/** Tokens in one step. Each one takes memory for the logits of the whole vocabulary: 64 of 150,000 take 38 MB. */
const sliceTokens = 64;
/** A text has several tokenizations. So often at most, another one takes the place of the usual one. */
const mostCorrections = 16;
/** How often it is looked for. A wrong answer would need it at each token. */
const mostSearches = 64;
/** So many tokens before one that does not fit may be those that are tokenized otherwise. */
const tokensBefore = 4;
/** llama.cpp takes this seed for none. */
const noSeed = 2 ** 32 - 1;

/**
 * Reads a prompt and a finished answer in one pass, and compares each of its tokens with the one that this model writes by the same
 * seed. Throws what llama.cpp throws.
 */
export async function replay({ of, answer }: TextReplay, deps: ReplayDeps): Promise<RunOutcome> {
  const { loaded, step, clock } = deps;
  step("prompt");
  const prompt = promptOf(loaded, of);
  if (prompt === null) return { kind: "failed", error: jobErrors.wrongTokens };
  const tokens = tokensOf(loaded.model, answer.text, prompt.tokens);
  const whole = prompt.tokens.length + tokens.length;
  if (prompt.tokens.length === 0 || whole >= loaded.wholeContextTokens) {
    return { kind: "failed", error: contextExceeded(whole, loaded.wholeContextTokens) };
  }
  if (whole >= loaded.contextTokens) return { kind: "failed", error: jobErrors.contextTooSmall };
  const startedAt = clock();
  const loan = await loaded.sequences.lend(prompt.tokens, deps.cacheOwner);
  try {
    step("prefill");
    const end = endOf(answer, of.request);
    const fits = await new AnswerReader(of.request, prompt, loan, deps, end).read(tokens);
    step(null);
    if (fits === null) return { kind: "aborted" };
    return {
      kind: "done",
      result: {
        replay: replayOf(fits),
        counted: {
          promptTokens: prompt.tokens.length,
          completionTokens: fits.length - (isCompared(end) ? 1 : 0),
        },
        usage: { promptTokens: prompt.tokens.length + tokens.length, completionTokens: 0 },
        timing: { prefillMs: Math.round(clock() - startedAt), generateMs: 0 },
      },
    };
  } finally {
    loan.release();
  }
}

/** The tokens of a text that follows others. Some vocabularies begin each text with a blank, which is taken out. */
function tokensOf(model: LlamaModel, text: string, before: readonly Token[]): Token[] {
  const last = before.slice(-16);
  const usual = model.tokenize(text, false);
  if (model.detokenize(usual, false, last) === text) return usual;
  const trimmed = model.tokenize(text, false, "trimLeadingSpace");
  return model.detokenize(trimmed, false, last) === text ? trimmed : usual;
}

/**
 * The end of an answer. `model`: the model ended it, which is compared, too. `text`: that, or one of the request's stop texts. `none`:
 * it was cut. `empty`: the answer has no text, so its first token is one that does not show, which is compared.
 */
type AnswerEnd = "model" | "text" | "none" | "empty";

function endOf({ text, finishReason }: TextReplay["answer"], { stop }: Sampling): AnswerEnd {
  if (text === "") return "empty";
  if (finishReason !== "stop") return "none";
  return stop.length > 0 ? "text" : "model";
}

function isCompared(end: AnswerEnd): boolean {
  return end === "model" || end === "empty";
}

class AnswerReader {
  readonly #request: Sampling;
  readonly #prompt: Prompt;
  readonly #loan: SequenceLoan;
  readonly #deps: ReplayDeps;
  readonly #draws: number[] = [];
  readonly #end: AnswerEnd;
  readonly #random: SeededDraws | null;
  readonly #texts = new Map<Token, string>();
  #corrections = 0;
  #searches = 0;

  constructor(request: Sampling, prompt: Prompt, loan: SequenceLoan, deps: ReplayDeps, end: AnswerEnd) {
    this.#request = request;
    this.#prompt = prompt;
    this.#loan = loan;
    this.#deps = deps;
    this.#end = end;
    const seed = seedOf(request);
    this.#random = seed === noSeed ? null : new SeededDraws(seed);
  }

  /** Compares the answer's tokens, and the one that ends it. Null if aborted. */
  async read(tokens: readonly Token[]): Promise<readonly TokenFit[] | null> {
    const { cached, sequence } = this.#loan;
    const prompt = this.#prompt.tokens;
    if (
      !(await prefill(sequence, prompt.slice(cached, -1), {
        ...this.#deps,
        batches: this.#deps.loaded.batches,
      }))
    ) {
      return null;
    }
    const answer = [...tokens];
    const fits: TokenFit[] = [];
    const seen: (readonly Candidate[])[] = [];
    const places = (): number => answer.length + (isCompared(this.#end) ? 1 : 0);
    while (fits.length < places()) {
      const slice = await this.#slice(answer, fits.length, places());
      if (slice === null) return null;
      for (const candidates of slice) {
        seen.push(candidates);
        fits.push(this.#fitOf(answer[fits.length], fits.length, candidates));
        const corrected = this.#correct(answer, fits, seen);
        if (corrected === null) continue;
        // The sequence holds tokens that followed the other tokenization.
        await this.#deps.loaded.batches.eraseFrom(sequence, prompt.length + corrected);
        seen.length = corrected + 1;
        fits.splice(corrected, fits.length, this.#fitOf(answer[corrected], corrected, seen[corrected] ?? []));
        break;
      }
    }
    return fits;
  }

  /** The candidates for the next places of the answer, as many as one step reads. Null if aborted. */
  async #slice(
    answer: readonly Token[],
    from: number,
    places: number,
  ): Promise<readonly (readonly Candidate[])[] | null> {
    const { loaded, slices, signal, pace } = this.#deps;
    const { sequence } = this.#loan;
    const wait = pace();
    if (wait !== null) await wait;
    if (signal.aborted) return null;
    const to = Math.min(places, from + Math.min(sliceTokens, slices.size));
    const input: ControlledEvaluateInputItem[] = [];
    for (let at = from; at < to; at += 1) {
      const before = at === 0 ? this.#prompt.tokens.at(-1) : answer[at - 1];
      if (before === undefined) break;
      input.push([before, { generateNext: { probabilities: true, options: this.#optionsAt(answer, at) } }]);
    }
    const read = await loaded.batches.step(async () => {
      if (signal.aborted) return null;
      return await slices.measure(input.length, () => sequence.controlledEvaluate(input));
    });
    if (read === null) return null;
    return input.map((_, index) =>
      [...(read[index]?.next.probabilities ?? [])].map(([token, probability]) => ({ token, probability })),
    );
  }

  /** With the request's biases and penalties, but not its temperature. */
  #optionsAt(answer: readonly Token[], at: number): Omit<SequenceEvaluateOptions, "grammarEvaluationState"> {
    const own = evaluateOptions(this.#deps.loaded.model, this.#request, null, answer.slice(0, at), {
      begin: () => undefined,
    });
    const { repeatPenalty, tokenBias } = own;
    return {
      temperature: 1,
      topK: mostCandidates,
      topP: 1,
      minP: 0,
      seed: 0,
      ...(repeatPenalty === undefined ? {} : { repeatPenalty }),
      ...(tokenBias === undefined ? {} : { tokenBias }),
    };
  }

  /** The fit of the token at a place. Beyond the last one it is that of the likeliest end. */
  #fitOf(token: Token | undefined, at: number, candidates: readonly Candidate[]): TokenFit {
    const { model } = this.#deps.loaded;
    const size = vocabularySize(model);
    const fit = (each: number): TokenFit => tokenFit(candidates, each, this.#request, this.#drawAt(at), size);
    if (token !== undefined) return fit(token);
    const ends = candidates.filter((candidate) => this.#isEnd(candidate.token as Token));
    const fits = ends.map((end) => fit(end.token));
    const [best = { regret: 1, logprob: null }] = fits.toSorted((a, b) => a.regret - b.regret);
    return best;
  }

  #isEnd(token: Token): boolean {
    const { model } = this.#deps.loaded;
    if (model.isEogToken(token) || this.#prompt.stopTokens.has(token)) return true;
    const text = model.detokenize([token], true);
    if (text !== "" && this.#prompt.stopTexts.some((each) => each.startsWith(text))) return true;
    return this.#end === "empty" && this.#isHidden(token);
  }

  /** Whether an answer without text may begin with a token: a control token, or the beginning of a stop text. */
  #isHidden(token: Token): boolean {
    const piece = this.#textOf(token);
    // A stop text may begin with a character of several tokens.
    const isPart = piece.includes("\uFFFD");
    const begins = (stop: string): boolean => isPart || stop.startsWith(piece) || piece.startsWith(stop);
    return piece === "" || this.#request.stop.some(begins);
  }

  /** Each token of an answer has its own number. */
  #drawAt(at: number): number | null {
    if (this.#random === null) return null;
    while (this.#draws.length <= at) this.#draws.push(this.#random.next());
    return this.#draws[at] ?? null;
  }

  /**
   * Looks for another tokenization of the text, if the newest token does not fit. It may begin a few tokens before, where equally
   * likely tokens fitted by chance. Returns the place of the corrected token; null if there is none.
   */
  #correct(
    answer: Token[],
    fits: readonly TokenFit[],
    seen: readonly (readonly Candidate[])[],
  ): number | null {
    const newest = fits.length - 1;
    const { regret = 0 } = fits[newest] ?? {};
    if (regret === 0) return null;
    const first = regret > missRegret ? Math.max(0, newest - tokensBefore) : newest;
    for (let at = newest; at >= first; at -= 1) {
      if (this.#correctAt(answer, at, seen[at] ?? [])) return at;
    }
    return null;
  }

  /** Puts a token that fits into the answer, if the text goes on with it, too. Returns whether it did. */
  #correctAt(answer: Token[], at: number, candidates: readonly Candidate[]): boolean {
    const { model } = this.#deps.loaded;
    if (this.#corrections >= mostCorrections || this.#searches >= mostSearches || at >= answer.length)
      return false;
    this.#searches += 1;
    const before = [...this.#prompt.tokens.slice(-16), ...answer.slice(0, at)].slice(-16);
    const rest = model.detokenize(answer.slice(at), false, before);
    // A stop text is not part of the answer, and may begin within its last token.
    const hasStops = this.#request.stop.length > 0 || this.#prompt.stopTexts.length > 0;
    const isCut = (piece: string): boolean => this.#end !== "none" && hasStops && piece.startsWith(rest);
    for (const { token: other } of candidates) {
      const token = other as Token;
      const piece = this.#textOf(token);
      if (piece === "" || (!rest.startsWith(piece) && !isCut(piece))) continue;
      if (token === answer[at] || this.#isEnd(token) || this.#fitOf(token, at, candidates).regret > 0)
        continue;
      this.#corrections += 1;
      const left = rest.slice(piece.length);
      const following = left === "" ? [] : tokensOf(model, left, [...before, token]);
      answer.splice(at, answer.length - at, token, ...following);
      return true;
    }
    return false;
  }

  /** The text of a token that follows others. */
  #textOf(token: Token): string {
    const known = this.#texts.get(token);
    if (known !== undefined) return known;
    const text = this.#deps.loaded.model.detokenize([token], false, this.#prompt.tokens.slice(-16));
    this.#texts.set(token, text);
    return text;
  }
}
