import type { LlamaGrammar, LlamaModel, Token } from "node-llama-cpp";
import { GrammarState } from "./grammar-state.ts";
import type { PassageTokens } from "./passage-tokens.ts";

/** The grammar of a passage: how far it is before each of the passage's places. */
export class PassageGrammar {
  readonly #grammar: LlamaGrammar;
  readonly #tokens: PassageTokens;
  readonly #model: LlamaModel;
  /** How far it is before a place: the newest one, or one of the last ones. */
  #known: { readonly at: number; readonly state: GrammarState } | null = null;

  constructor(grammar: LlamaGrammar, tokens: PassageTokens, model: LlamaModel) {
    this.#grammar = grammar;
    this.#tokens = tokens;
    this.#model = model;
  }

  /** Whether it allows a token at a place. */
  allows(token: Token, at: number): boolean {
    return this.#before(at).allows(token);
  }

  /** Has to be called when tokens from a place on are replaced. */
  forgetAfter(at: number): void {
    if ((this.#known?.at ?? 0) > at) this.#known = null;
  }

  /**
   * Puts other tokens of the text at a place, of which the grammar allows the first one. Some vocabularies begin a text with a blank,
   * so another tokenization may be needed. Returns false if the grammar allows none of this text.
   */
  replaceRefused(at: number): boolean {
    const rest = this.#tokens.textFrom(at);
    const [character = ""] = rest;
    const left = this.#tokens.usual(rest.slice(character.length), at);
    const found = [
      this.#model.tokenize(rest, false, "trimLeadingSpace"),
      [...this.#model.tokenize(character, false, "trimLeadingSpace"), ...left],
    ].find(([first]) => first !== undefined && this.allows(first, at));
    if (found !== undefined) this.#tokens.replaceFrom(at, found);
    return found !== undefined;
  }

  #before(at: number): GrammarState {
    const known = this.#known;
    const token = this.#tokens.at(at - 1);
    if (known?.at === at) return known.state;
    const isNext = known?.at === at - 1 && token !== undefined;
    const state = isNext ? known.state : new GrammarState(this.#model, this.#grammar, this.#tokens.upTo(at));
    if (isNext) state.accept(token);
    this.#known = { at, state };
    return state;
  }
}
