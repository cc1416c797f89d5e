import type { Token } from "node-llama-cpp";
import { jobErrors } from "../../../app/contract/job-errors.ts";
import type { RunOutcome } from "../../../app/contract/runner.ts";
import { askedAgain, mostTries } from "../../../app/jobs/answers/answer-checks.ts";
import type { Sampling } from "../../../app/jobs/sampling.ts";
import { defaultLimits } from "../../../app/trust/honest-replays.ts";
import { missRegret, replayOf, type TextReplay } from "../../../app/trust/replay.ts";
import type { TokenFit } from "../../../app/trust/token-fit.ts";
import { verdictOf } from "../../../app/trust/verdict.ts";
import type { Prompt } from "../generate/prompt.ts";
import type { SequenceLoan } from "../load/sequences.ts";
import type { Passage, PassageEnd, PassageRead, ReplayDeps } from "./passage.ts";
import { readPassage } from "./passage-reader.ts";
import { textOfTold, type ToldText } from "./told-tokens.ts";

/** `stop`: nothing is known of what follows. `not-told`: the told tokens are not those of the answer. Null: read. */
export type Stop = RunOutcome | "stop" | "not-told" | null;

/** A passage of an answer, and how its text shows in the answer. */
export type Part = Pick<Passage, "text" | "enforced" | "end" | "ends"> & {
  /** Texts that end it, besides those of its grammar. */
  readonly stopTexts: readonly string[];
  /** Whether a device that writes these tokens gives this answer. */
  readonly gives: (told: ToldText) => boolean;
  /** The end of a told passage that does not show its end. */
  readonly openEnd: PassageEnd;
  /** Tokens that no device writes in it. */
  readonly refused?: readonly Token[];
};

/** A grammar ends a text itself. */
export const noEnds = { stopTokens: new Set<Token>(), stopTexts: [] };

/** Reads the passages of an answer, one after the other, and keeps what it read. */
export class AnswerPassages {
  readonly replayed: TextReplay;
  readonly prompt: Prompt;
  readonly deps: ReplayDeps;
  readonly #loan: SequenceLoan;
  /** The told tokens of each passage. Null: none are told. */
  readonly #told: readonly (readonly Token[])[] | null;
  /** The told passages that were read. */
  #toldRead = 0;
  #context: readonly Token[];
  #written: readonly Token[] = [];
  #fits: readonly TokenFit[] = [];

  constructor(
    replayed: TextReplay,
    prompt: Prompt,
    loan: SequenceLoan,
    deps: ReplayDeps,
    told: readonly (readonly Token[])[] | null,
  ) {
    this.replayed = replayed;
    this.prompt = prompt;
    this.deps = deps;
    this.#loan = loan;
    this.#told = told;
    this.#context = prompt.tokens;
  }

  /** All tokens up to the next passage. */
  get context(): readonly Token[] {
    return this.#context;
  }

  /** The tokens that the model wrote. */
  get written(): readonly Token[] {
    return this.#written;
  }

  get fits(): readonly TokenFit[] {
    return this.#fits;
  }

  /** The told passages that were not read. */
  get toldLeft(): number {
    return this.#told === null ? 0 : this.#told.length - this.#toldRead;
  }

  /** Goes on after tokens that the model did not write. */
  add(tokens: readonly Token[]): void {
    this.#context = [...this.#context, ...tokens];
  }

  /** Goes on after fewer tokens. */
  rewind(length: number): void {
    this.#context = this.#context.slice(0, length);
  }

  /**
   * Reads a passage that the model wrote. If a device may have written it several times until it held its schema, it is compared with
   * each of these tries, and the one that fits best counts.
   */
  async read(part: Part, isRetried: boolean): Promise<Stop> {
    const { of } = this.replayed;
    const passage = this.#told === null ? { ...part, told: null } : this.#toldPassage(part, this.#told);
    if (passage === null) return "not-told";
    let best: PassageRead | null = null;
    let isOnceNotTold = false;
    for (let tries = 0; tries < (isRetried ? mostTries : 1); tries += 1) {
      this.deps.step("prefill");
      const request: Sampling = askedAgain(of.request, tries);
      const whole = { ...passage, request, before: this.#context, written: this.#written };
      const read = await readPassage(whole, this.#loan, this.deps);
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
    this.add(best.tokens);
    return best.isWhole ? null : "stop";
  }

  /** A passage with its told tokens, which show how it ended. Null if they are not those of the answer. */
  #toldPassage(
    { text, enforced, ends, stopTexts, gives, openEnd, refused = [] }: Part,
    passages: readonly (readonly Token[])[],
  ): Omit<Passage, "before" | "request" | "written"> | null {
    const { model } = this.deps.loaded;
    const isFirst = this.#toldRead === 0;
    const told = passages[this.#toldRead];
    this.#toldRead += 1;
    if (told === undefined) return null;
    const own = enforced === null ? this.prompt.stopTokens : [];
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
