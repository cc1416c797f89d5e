import type { LlamaModel, Token } from "node-llama-cpp";
import { type Enforced, JsonEnd } from "./grammars.ts";
import { StopMatcher } from "./stop-matcher.ts";
import { TokenDecoder } from "./token-decoder.ts";

type PassageForm = {
  /** All tokens before it, or the last ones. */
  readonly before: readonly Token[];
  readonly enforced: Enforced | null;
  /** Besides those of the grammar. */
  readonly stopTexts: readonly string[];
  /** Whether the text of control tokens counts. A grammar compares it, so there it is part of the text. */
  readonly special: boolean;
};

/** How the text of a passage ends by itself. */
export type TextEnd =
  /** Its JSON is complete. */
  | { readonly kind: "ended" }
  /** By one of `stopTexts`. `tokensBefore`: the tokens of the passage before it. */
  | { readonly kind: "stop-text"; readonly text: string; readonly tokensBefore: number };

/** `piece`: the text of a token, or the rest of broken characters. `shown`: what may be shown now. */
type Written = { readonly piece: string; readonly shown: string; readonly end: TextEnd | null };

/** Turns the tokens of a passage into the text that is shown of it, and finds its end. A device and its checkers use the same. */
export class PassageText {
  readonly #decoder: TokenDecoder<Token>;
  readonly #matcher: StopMatcher;
  readonly #json: JsonEnd | null;
  /** The length of the text before each token. Infinity if the token continues a character. */
  readonly #starts: number[] = [];
  #length = 0;

  constructor(model: LlamaModel, { before, enforced, stopTexts, special }: PassageForm) {
    this.#decoder = new TokenDecoder<Token>(
      (tokens, last) => model.detokenize(tokens, special, last),
      before,
    );
    this.#matcher = new StopMatcher([...stopTexts, ...(enforced?.stopTexts ?? [])]);
    this.#json = enforced?.trimEnd === true ? new JsonEnd() : null;
  }

  /** Whether the tokens so far end in the middle of a character. */
  get isInsideCharacter(): boolean {
    return this.#decoder.isInsideCharacter;
  }

  push(token: Token): Written {
    this.#starts.push(this.isInsideCharacter ? Infinity : this.#length);
    const piece = this.#decoder.push(token);
    const complete = this.#json?.push(piece) ?? null;
    const { shown, end } = this.#match(complete === null ? piece : piece.slice(0, complete));
    if (end !== null || complete === null) return { piece, shown, end };
    return { piece, shown: shown + this.#matcher.flush(), end: { kind: "ended" } };
  }

  /** The text that was held back, once no more tokens follow. */
  flush(): Written {
    const piece = this.#decoder.flush();
    const { shown, end } = this.#match(piece);
    return { piece, shown: end === null ? shown + this.#matcher.flush() : shown, end };
  }

  #match(text: string): Omit<Written, "piece"> {
    this.#length += text.length;
    const { text: shown, stopped } = this.#matcher.push(text);
    if (!stopped) return { shown, end: null };
    const at = this.#length - this.#matcher.lengthFromStop;
    const first = this.#starts.findLastIndex((start) => start <= at);
    const end = {
      kind: "stop-text" as const,
      text: this.#matcher.stoppedBy,
      tokensBefore: Math.max(0, first),
    };
    return { shown, end };
  }
}
