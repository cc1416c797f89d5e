import { type LlamaGrammar, LlamaGrammarEvaluationState, type LlamaModel, type Token } from "node-llama-cpp";

/** The library's own calls for the state of a grammar. It has no public ones that sample nothing. */
type Calls = {
  canBeNextTokenForGrammarEvaluationState(state: object, token: Token): boolean;
  acceptGrammarEvaluationStateToken(state: object, token: Token): void;
};

/** How far a text has come in a grammar. */
export class GrammarState {
  readonly #calls: Calls;
  readonly #state: object;
  readonly #allowed = new Map<Token, boolean>();

  /** Throws if this version of the library has no such calls. */
  constructor(model: LlamaModel, grammar: LlamaGrammar, accepted: readonly Token[] = []) {
    const { _llama } = model as unknown as {
      readonly _llama: { readonly _bindings: { readonly AddonSampler: Calls } };
    };
    const { _state } = new LlamaGrammarEvaluationState({ model, grammar }) as unknown as {
      readonly _state: object;
    };
    this.#calls = _llama._bindings.AddonSampler;
    this.#state = _state;
    for (const token of accepted) this.accept(token);
  }

  /** Whether a token may follow. */
  allows(token: Token): boolean {
    const known = this.#allowed.get(token);
    if (known !== undefined) return known;
    const allowed = this.#calls.canBeNextTokenForGrammarEvaluationState(this.#state, token);
    this.#allowed.set(token, allowed);
    return allowed;
  }

  /** Goes on by a token, which has to be allowed. */
  accept(token: Token): void {
    this.#calls.acceptGrammarEvaluationStateToken(this.#state, token);
    this.#allowed.clear();
  }
}
