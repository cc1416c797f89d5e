/** Turns tokens into text. `before` holds the preceding tokens, which decide about spaces. */
type Detokenize<Token> = (tokens: readonly Token[], before: readonly Token[]) => string;

/** Preceding tokens that the detokenizer gets. */
const contextTokens = 8;
/** A character has at most four bytes, each of which may be a token. A longer run is broken text. */
const longestCharacter = 4;

/**
 * Decodes tokens one at a time. Several tokens may form one character: it is held back until it is complete, so that no
 * reader sees half of it.
 */
export class TokenDecoder<Token> {
  readonly #detokenize: Detokenize<Token>;
  #before: readonly Token[];
  #pending: Token[] = [];

  constructor(detokenize: Detokenize<Token>, promptEnd: readonly Token[]) {
    this.#detokenize = detokenize;
    this.#before = promptEnd.slice(-contextTokens);
  }

  /** Whether the tokens so far end in the middle of a character. */
  get isInsideCharacter(): boolean {
    return this.#pending.length > 0;
  }

  push(token: Token): string {
    this.#pending.push(token);
    const text = this.#detokenize(this.#pending, this.#before);
    if (text.endsWith("\uFFFD") && this.#pending.length < longestCharacter) return "";
    this.#settle();
    return text;
  }

  /** The rest, if the tokens end in the middle of a character. */
  flush(): string {
    const text = this.#pending.length === 0 ? "" : this.#detokenize(this.#pending, this.#before);
    this.#settle();
    return text;
  }

  #settle(): void {
    this.#before = [...this.#before, ...this.#pending].slice(-contextTokens);
    this.#pending = [];
  }
}
