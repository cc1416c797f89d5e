import type { LlamaModel, Token } from "node-llama-cpp";
import type { Passage } from "./passage.ts";

/** No token has the text of so many others. */
const longestToken = 32;
/** So many tokens before a text decide how it reads. */
const textContext = 16;

/** The tokens of a passage's text, and the text of each. A text has several tokenizations, so others may replace them. */
export class PassageTokens {
  readonly #passage: Passage;
  readonly #model: LlamaModel;
  readonly #texts = new Map<Token, string>();
  readonly #tokens: Token[];

  constructor(passage: Passage, model: LlamaModel) {
    const { text, told, before, enforced, end } = passage;
    this.#passage = passage;
    this.#model = model;
    // The bound of tokens may have cut a character.
    const isCut = enforced !== null && end === "none";
    this.#tokens =
      told === null ? tokensOf(model, isCut ? text.replace(/\uFFFD$/, "") : text, before) : [...told];
  }

  get length(): number {
    return this.#tokens.length;
  }

  get all(): readonly Token[] {
    return this.#tokens;
  }

  /** The token at a place; undefined beyond the last one. */
  at(place: number): Token | undefined {
    return this.#tokens[place];
  }

  /** The tokens before a place. */
  upTo(place: number): readonly Token[] {
    return this.#tokens.slice(0, place);
  }

  /** Puts other tokens in the place of those from a place on. */
  replaceFrom(place: number, tokens: readonly Token[]): void {
    this.#tokens.splice(place, this.#tokens.length - place, ...tokens);
  }

  /** The usual tokens of a text that begins at a place, or after one more token there. */
  usual(text: string, place: number, first: readonly Token[] = []): readonly Token[] {
    return text === "" ? [] : tokensOf(this.#model, text, [...this.#before(place), ...first]);
  }

  /** The text from a place on. A grammar compares the text of control tokens, too. */
  textFrom(place: number, to?: number): string {
    const { enforced } = this.#passage;
    return this.#model.detokenize(this.#tokens.slice(place, to), enforced !== null, this.#before(place));
  }

  /** At least as much of the text from a place on as one token may write. */
  textNear(place: number): string {
    return this.textFrom(place, place + longestToken);
  }

  /** The text of a token that follows others. */
  textOf(token: Token): string {
    const known = this.#texts.get(token);
    if (known !== undefined) return known;
    const { before, enforced } = this.#passage;
    const text = this.#model.detokenize([token], enforced !== null, before.slice(-textContext));
    this.#texts.set(token, text);
    return text;
  }

  /** Whether a token ends the passage. */
  isEnd(token: Token): boolean {
    const { ends, end } = this.#passage;
    if (end === "call") return ends.stopTokens.has(token);
    if (this.#model.isEogToken(token) || ends.stopTokens.has(token)) return true;
    const text = this.#model.detokenize([token], true);
    if (text !== "" && ends.stopTexts.some((each) => each.startsWith(text))) return true;
    return end === "empty" && this.#isHidden(token);
  }

  /** Whether a token may write the end of the text and what was cut off. A stop text may begin within the last token. */
  isCut(piece: string, rest: string): boolean {
    const { request, ends, end, enforced } = this.#passage;
    if (end === "none" || !piece.startsWith(rest)) return false;
    if (request.stop.length > 0 || ends.stopTexts.length > 0) return true;
    return enforced?.trimEnd === true && piece.slice(rest.length).trim() === "";
  }

  /** Whether an answer without text may begin with a token: a control token, or the beginning of a stop text. */
  #isHidden(token: Token): boolean {
    const piece = this.textOf(token);
    // A stop text may begin with a character of several tokens.
    const isPart = piece.includes("\uFFFD");
    const begins = (stop: string): boolean => isPart || stop.startsWith(piece) || piece.startsWith(stop);
    return piece === "" || this.#passage.request.stop.some(begins);
  }

  #before(place: number): readonly Token[] {
    return [...this.#passage.before.slice(-textContext), ...this.upTo(place)].slice(-textContext);
  }
}

/** The tokens of a text that follows others. Some vocabularies begin each text with a blank, which is taken out. */
function tokensOf(model: LlamaModel, text: string, before: readonly Token[]): Token[] {
  const last = before.slice(-textContext);
  const usual = model.tokenize(text, false);
  if (model.detokenize(usual, false, last) === text) return usual;
  const trimmed = model.tokenize(text, false, "trimLeadingSpace");
  return model.detokenize(trimmed, false, last) === text ? trimmed : usual;
}
