import type { LlamaContextSequence, LlamaModel, Token } from "node-llama-cpp";
import { limits } from "../../../app/jobs/limits.ts";
import type { Sampling, TokenChoice } from "../../../app/jobs/sampling.ts";
import type { Clock, Pace } from "../process/duty-cycle.ts";
import type { Enforced } from "./grammars.ts";
import { JsonEnd } from "./json-end.ts";
import { choiceOf } from "./logprobs.ts";
import { evaluateOptions } from "./sampling.ts";
import { StopMatcher } from "./stop-matcher.ts";
import { TokenText } from "./token-decoder.ts";

/** At most four bytes a character: an answer cut here is one that the backend still takes. */
const mostResultBytes = limits.resultBytes - 4_096;

export type WriterParts = {
  readonly model: LlamaModel;
  readonly sequence: LlamaContextSequence;
  readonly request: Sampling;
  /** Tokens that the sequence may hold. Beyond, the library would forget the beginning of the prompt. */
  readonly contextTokens: number;
  readonly signal: AbortSignal;
  readonly pace: Pace;
  readonly clock: Clock;
};

export type Passage = {
  readonly enforced: Enforced | null;
  readonly stopTexts: readonly string[];
  readonly stopTokens: ReadonlySet<Token>;
  readonly emit: (text: string) => void;
  /** Whether what is generated is part of the answer, and its log probabilities are wanted. */
  readonly reported: boolean;
};

export type PassageEnd =
  /** The model ended it, or the grammar did. */
  | { readonly kind: "ended" }
  /** One of `stopTexts` came: which, and how many tokens were generated before it. */
  | { readonly kind: "stop-text"; readonly text: string; readonly tokensBefore: number }
  | { readonly kind: "stop-token"; readonly token: Token }
  | { readonly kind: "length" }
  | { readonly kind: "aborted" };

/** Generates one answer into a sequence, in one passage or several: each with a grammar and ends of its own. */
export class Writer {
  readonly #parts: WriterParts;
  readonly #answer: Token[] = [];
  readonly #logprobs: TokenChoice[] = [];
  #bytes = 0;
  #firstTokenAt: number | null = null;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  get completionTokens(): number {
    return this.#answer.length;
  }

  /** When the first token was there, of its clock: until then the prompt was read. */
  get firstTokenAt(): number | null {
    return this.#firstTokenAt;
  }

  /** All that was generated, in the order in which it was. */
  get tokens(): readonly Token[] {
    return this.#answer;
  }

  get logprobs(): readonly TokenChoice[] {
    return this.#logprobs;
  }

  /** Generates on from `fed`, which is read first: what is not in the sequence yet, one token at least. */
  async write(fed: readonly Token[], passage: Passage): Promise<PassageEnd> {
    const { model, sequence, request, pace, clock } = this.#parts;
    const { enforced, stopTokens, emit } = passage;
    const stops = [...passage.stopTexts, ...(enforced?.stopTexts ?? [])];
    const matcher = new StopMatcher(stops);
    const before = [...sequence.contextTokens.slice(-16), ...fed];
    const decoder = new TokenText<Token>((tokens, last) => model.detokenize(tokens, false, last), before);
    const json = enforced?.trimEnd === true ? new JsonEnd() : null;
    /** Length of the text before each token of this passage. */
    const starts: number[] = [];
    let length = 0;

    const say = (text: string): void => {
      if (text === "") return;
      this.#bytes += text.length * 4;
      emit(text);
    };
    const count = passage.reported ? request.logprobs : undefined;
    const wanted = { confidence: count !== undefined, probabilities: count !== undefined && count > 0 };
    const options = evaluateOptions(model, request, enforced?.grammar ?? null, this.#answer);
    if (this.#isFull(fed.length)) return { kind: "length" };

    for await (const step of sequence.evaluateWithMetadata([...fed], wanted, options)) {
      if (this.#isAborted()) return { kind: "aborted" };
      this.#firstTokenAt ??= clock();
      const { token } = step;
      if (stopTokens.has(token)) {
        this.#flush(matcher, decoder, say);
        return { kind: "stop-token", token };
      }
      this.#answer.push(token);
      starts.push(length);
      let text = decoder.push(token);
      if (count !== undefined) {
        const choice = choiceOf(model, step, count);
        this.#bytes += 64 * (1 + choice.top.length);
        this.#logprobs.push(choice);
      }
      const whole = json?.push(text) ?? null;
      if (whole !== null) text = text.slice(0, whole);
      length += text.length;
      const piece = matcher.push(text);
      say(piece.text);
      if (piece.stopped) {
        const at = length - matcher.lengthFromStop;
        const first = starts.findLastIndex((start) => start <= at);
        return { kind: "stop-text", text: matcher.stoppedBy, tokensBefore: Math.max(0, first) };
      }
      if (whole !== null) {
        say(matcher.flush());
        return { kind: "ended" };
      }
      if (this.#isFull(1)) {
        const stopped = this.#flush(matcher, decoder, say);
        return stopped ? { kind: "stop-text", text: matcher.stoppedBy, tokensBefore: 0 } : { kind: "length" };
      }
      const wait = pace();
      if (wait !== null) await wait;
      if (this.#isAborted()) return { kind: "aborted" };
    }
    if (this.#isAborted()) return { kind: "aborted" };
    const stopped = this.#flush(matcher, decoder, say);
    return stopped ? { kind: "stop-text", text: matcher.stoppedBy, tokensBefore: 0 } : { kind: "ended" };
  }

  #isAborted(): boolean {
    return this.#parts.signal.aborted;
  }

  /** @param next tokens that would be read now. */
  #isFull(next: number): boolean {
    const { sequence, request, contextTokens } = this.#parts;
    if (this.#answer.length >= request.maxTokens || this.#bytes >= mostResultBytes) return true;
    return sequence.nextTokenIndex + next >= contextTokens;
  }

  #flush(matcher: StopMatcher, decoder: TokenText<Token>, say: (text: string) => void): boolean {
    const rest = matcher.push(decoder.flush());
    say(rest.text);
    if (!rest.stopped) say(matcher.flush());
    return rest.stopped;
  }
}
