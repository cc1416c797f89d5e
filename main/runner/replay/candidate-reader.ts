import type { ControlledEvaluateInputItem, SequenceEvaluateOptions } from "node-llama-cpp";
import type { Candidate } from "../../../app/trust/token-fit.ts";
import { prefill } from "../generate/prefill.ts";
import { evaluateOptions } from "../generate/sampling.ts";
import { vocabularySize } from "../generate/vocabulary.ts";
import type { SequenceLoan } from "../load/sequences.ts";
import type { Passage, ReplayDeps } from "./passage.ts";
import type { PassageTokens } from "./passage-tokens.ts";

/** The likeliest tokens that are compared at each place. Others are less likely than one in thousands. */
export const mostCandidates = 256;
/** Tokens in one step. Each one takes memory for the logits of the whole vocabulary: 64 of 150,000 take 38 MB. */
const sliceTokens = 64;
/** After a step whose rest was of no use, the next ones are short. */
const fewTokens = 4;

/** Has the model read a passage, and returns the tokens that it finds likely at each place, the likeliest first. */
export class CandidateReader {
  readonly #passage: Passage;
  readonly #tokens: PassageTokens;
  readonly #loan: SequenceLoan;
  readonly #deps: ReplayDeps;
  /** Tokens that the next step reads. */
  #stepTokens = sliceTokens;

  constructor(passage: Passage, tokens: PassageTokens, loan: SequenceLoan, deps: ReplayDeps) {
    this.#passage = passage;
    this.#tokens = tokens;
    this.#loan = loan;
    this.#deps = deps;
  }

  /** Reads the tokens before the passage. Returns false if aborted. */
  async begin(): Promise<boolean> {
    const { before } = this.#passage;
    const { sequence } = this.#loan;
    const { batches } = this.#deps.loaded;
    // The tokens before it are read already as far as they are those of the passage before. Its last token is read with its own.
    const known = sequence.contextTokens;
    const differs = before.findIndex((token, at) => token !== known[at]);
    const same = Math.min(differs === -1 ? before.length : differs, before.length - 1);
    await batches.eraseFrom(sequence, same);
    return await prefill(sequence, before.slice(same, -1), { ...this.#deps, batches });
  }

  /** The candidates of the next places, as many as one step reads. Null if aborted. */
  async read(from: number, to: number): Promise<readonly (readonly Candidate[])[] | null> {
    const read = await this.#read(from, to, mostCandidates);
    if (read !== null) this.#stepTokens = Math.min(sliceTokens, 2 * this.#stepTokens);
    return read;
  }

  /** All tokens of the vocabulary as candidates of a place. Null if aborted. */
  async readAll(at: number): Promise<readonly Candidate[] | null> {
    const read = await this.#read(at, at + 1, vocabularySize(this.#deps.loaded.model));
    return read === null ? null : (read[0] ?? []);
  }

  /** Forgets the tokens from a place on, and the one before it, which is read for the place. */
  async eraseFrom(place: number): Promise<void> {
    await this.#deps.loaded.batches.eraseFrom(this.#loan.sequence, this.#passage.before.length + place - 1);
  }

  shortenSteps(): void {
    this.#stepTokens = fewTokens;
  }

  async #read(from: number, to: number, most: number): Promise<readonly (readonly Candidate[])[] | null> {
    const { loaded, slices, signal, pace } = this.#deps;
    const { sequence } = this.#loan;
    const wait = pace();
    if (wait !== null) await wait;
    if (signal.aborted) return null;
    const end = Math.min(to, from + Math.min(this.#stepTokens, slices.size));
    const input: ControlledEvaluateInputItem[] = [];
    for (let at = from; at < end; at += 1) {
      const before = at === 0 ? this.#passage.before.at(-1) : this.#tokens.at(at - 1);
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
    const written = [...this.#passage.written, ...this.#tokens.upTo(at)];
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
}
