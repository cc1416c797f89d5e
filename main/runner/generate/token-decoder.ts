/** Turns tokens to text; `before` are tokens that precede them, for the spaces between. */
export type Detokenize<Token> = (tokens: readonly Token[], before: readonly Token[]) => string;

/**
 * Text from tokens, one at a time. A character may be spread over several tokens: it is held back until
 * it is whole, so that no reader ever sees half of one.
 */
export class TokenText<Token> {
  readonly #detokenize: Detokenize<Token>;
  #before: readonly Token[];
  #pending: Token[] = [];

  constructor(detokenize: Detokenize<Token>, promptEnd: readonly Token[]) {
    this.#detokenize = detokenize;
    this.#before = promptEnd.slice(-contextTokens);
  }

  push(token: Token): string {
    this.#pending.push(token);
    const text = this.#detokenize(this.#pending, this.#before);
    if (text.endsWith("\uFFFD") && this.#pending.length < longestCharacter) return "";
    this.#settle();
    return text;
  }

  /** What is left when the tokens end in the middle of a character. */
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

const contextTokens = 8;
/** A character of four bytes, each a token of its own; a longer run is really broken text. */
const longestCharacter = 4;
