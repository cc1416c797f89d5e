import type { LlamaContextSequence, LlamaModel, Token } from "node-llama-cpp";
import type { RequestStep } from "../../../app/contract/runner.ts";
import { mostControlTokens } from "../../../app/jobs/answers/usage-check.ts";
import { bytesOfWritten } from "../../../app/jobs/answers/written-tokens.ts";
import { limits } from "../../../app/jobs/limits.ts";
import type { Sampling, TokenChoice } from "../../../app/jobs/sampling.ts";
import type { SharedBatches } from "../load/shared-batches.ts";
import type { JobPace } from "../process/duty-cycle.ts";
import type { Enforced } from "./grammars.ts";
import { PassageText, type TextEnd } from "./passage-text.ts";
import { choiceOf, evaluateOptions } from "./sampling.ts";
import { SamplingWatch } from "./sampling-watch.ts";

/** Counted at four bytes a character and the bytes of its token, so the backend still accepts an answer that is cut here. */
const mostResultBytes = limits.resultBytes - 4_096;

type WriterDeps = JobPace & {
  readonly model: LlamaModel;
  readonly sequence: LlamaContextSequence;
  readonly batches: SharedBatches;
  readonly request: Sampling;
  /** Tokens that the sequence may hold. Beyond these, the library would drop the beginning of the prompt. */
  readonly contextTokens: number;
  readonly step: (step: RequestStep | null) => void;
};

type Passage = {
  readonly enforced: Enforced | null;
  readonly stopTexts: readonly string[];
  readonly stopTokens: ReadonlySet<Token>;
  readonly emit: (text: string) => void;
  /** Whether the log probabilities of these tokens belong to the answer. */
  readonly reported: boolean;
  /** Ends the passage after a piece of its text. Then the text of control tokens counts, too. */
  readonly until?: () => boolean;
  /** How its tokens are chosen, if not as the request says. */
  readonly sampling?: Sampling;
};

/** The text at a moment, to go back to. */
type Mark = {
  readonly tokens: number;
  readonly passages: number;
  readonly bytes: number;
  readonly controlTokens: number;
  readonly nextTokenIndex: number;
  readonly at: number;
};

export type PassageEnd =
  /** `ended`: by the model or by the grammar. */
  | TextEnd
  | { readonly kind: "stop-token"; readonly token: Token }
  | { readonly kind: "length" }
  /** llama.cpp takes too long to choose tokens that fit the grammar. */
  | { readonly kind: "too-slow" }
  | { readonly kind: "aborted" };

/** Generates one answer into a sequence, in one or several passages. Each has its own grammar and stop texts. */
export class Writer {
  readonly #deps: WriterDeps;
  readonly #answer: Token[] = [];
  /** The tokens before each passage. */
  readonly #starts: number[] = [];
  readonly #logprobs: TokenChoice[] = [];
  #bytes = 0;
  #controlTokens = 0;
  #unread: Token | null = null;
  #firstTokenAt: number | null = null;
  #droppedMs = 0;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  get completionTokens(): number {
    return this.#answer.length;
  }

  /** When the first token was generated, by the clock of `deps`. Until then the prompt was read. */
  get firstTokenAt(): number | null {
    return this.#firstTokenAt;
  }

  /** The time that went into tokens that were dropped, in ms. */
  get droppedMs(): number {
    return this.#droppedMs;
  }

  /** All generated tokens, in their order. */
  get tokens(): readonly Token[] {
    return this.#answer;
  }

  /** The same, apart for each passage that was begun. */
  get passages(): readonly (readonly Token[])[] {
    return this.#starts.map((start, at) => this.#answer.slice(start, this.#starts[at + 1]));
  }

  /** The last token of the passage before, if the sequence does not hold it yet. */
  get unread(): Token | null {
    return this.#unread;
  }

  get logprobs(): readonly TokenChoice[] {
    return this.#logprobs;
  }

  /** The present end of the answer. Call this between passages. */
  mark(): Mark {
    const { sequence, clock } = this.#deps;
    const { nextTokenIndex } = sequence;
    return {
      tokens: this.#answer.length,
      passages: this.#starts.length,
      bytes: this.#bytes,
      controlTokens: this.#controlTokens,
      nextTokenIndex,
      at: clock(),
    };
  }

  /** Drops the passages after a mark, which are not reported ones. Nobody pays for them. */
  async dropFrom({ tokens, passages, bytes, controlTokens, nextTokenIndex: start, at }: Mark): Promise<void> {
    const { sequence, batches, clock } = this.#deps;
    await batches.eraseFrom(sequence, start);
    this.#answer.length = tokens;
    this.#starts.length = passages;
    this.#bytes = bytes;
    this.#controlTokens = controlTokens;
    this.#droppedMs += clock() - at;
  }

  /** Generates after `fed`: at least one token, which the sequence does not hold yet and which is read first. */
  async write(fed: readonly Token[], passage: Passage): Promise<PassageEnd> {
    const watch = new SamplingWatch(this.#deps.step);
    try {
      return await this.#write(fed, passage, watch);
    } finally {
      watch.end();
    }
  }

  async #write(fed: readonly Token[], passage: Passage, watch: SamplingWatch): Promise<PassageEnd> {
    const { model, sequence, batches, request, signal, pace, clock, step: tell } = this.#deps;
    const { enforced, stopTokens, emit } = passage;
    const written = new PassageText(model, {
      before: [...sequence.contextTokens.slice(-16), ...fed],
      enforced,
      stopTexts: passage.stopTexts,
      special: enforced !== null || passage.until !== undefined,
    });
    const send = (text: string): void => {
      if (text === "") return;
      this.#bytes += text.length * 4;
      emit(text);
    };
    /** Sends the held text. Returns the passage's end if a stop text appeared. */
    const flush = (): PassageEnd | null => {
      const { piece, shown, end } = written.flush();
      const last = passage.reported ? this.#logprobs.pop() : undefined;
      if (last !== undefined) this.#logprobs.push({ ...last, token: last.token + piece });
      send(shown);
      return end;
    };
    const count = passage.reported ? request.logprobs : undefined;
    const wanted = { confidence: count !== undefined, probabilities: count !== undefined && count > 0 };
    const options = evaluateOptions(
      model,
      passage.sampling ?? request,
      enforced?.grammar ?? null,
      this.#answer,
      watch,
    );
    this.#starts.push(this.#answer.length);
    if (this.#isFull(fed.length)) return { kind: "length" };

    this.#unread = null;
    const steps = sequence.evaluateWithMetadata([...fed], wanted, options);
    for await (const step of batches.each(steps, signal)) {
      watch.end();
      if (this.#isAborted()) return { kind: "aborted" };
      if (this.#firstTokenAt === null) tell(null);
      this.#firstTokenAt ??= clock();
      const { token } = step;
      if (stopTokens.has(token)) {
        flush();
        return { kind: "stop-token", token };
      }
      this.#answer.push(token);
      this.#unread = token;
      this.#bytes += bytesOfWritten;
      const { piece, shown, end } = written.push(token);
      if (count !== undefined) {
        const choice = choiceOf(model, step, piece, { count, special: enforced !== null });
        this.#bytes += 64 * (1 + choice.top.length);
        this.#logprobs.push(choice);
      }
      send(shown);
      if (end !== null) return end;
      if (passage.until?.() === true) return { kind: "ended" };
      if (piece === "" && !written.isInsideCharacter) this.#controlTokens += 1;
      // More would be paid for nothing. Such a model says nothing more.
      if (this.#controlTokens > mostControlTokens) return flush() ?? { kind: "ended" };
      if (watch.isTooSlow) return { kind: "too-slow" };
      if (this.#isFull(1)) return flush() ?? { kind: "length" };
      const wait = pace();
      if (wait !== null) await wait;
      if (this.#isAborted()) return { kind: "aborted" };
    }
    this.#unread = null;
    if (this.#isAborted()) return { kind: "aborted" };
    return flush() ?? { kind: "ended" };
  }

  #isAborted(): boolean {
    return this.#deps.signal.aborted;
  }

  /** @param next tokens to be read next. */
  #isFull(next: number): boolean {
    const { sequence, request, contextTokens } = this.#deps;
    if (this.#answer.length >= request.maxTokens || this.#bytes >= mostResultBytes) return true;
    return sequence.nextTokenIndex + next >= contextTokens;
  }
}
