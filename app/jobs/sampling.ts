/** How chat jobs and completions generate text. An absent field has no effect. */
export type Sampling = {
  readonly maxTokens: number;
  /** 0 always takes the likeliest token. */
  readonly temperature: number;
  readonly topP: number;
  /** Chosen at submission when the requester gave none, so that a retry gives the same text. */
  readonly seed: number;
  readonly stop: readonly string[];
  /** Considers only this many of the likeliest tokens. 0 considers all. */
  readonly topK?: number;
  /** Considers only tokens with at least this share of the likeliest token's probability. */
  readonly minP?: number;
  /** Applies to the answer so far. 1 means no penalty. */
  readonly repeatPenalty?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** Added to the logits, by the model's own token ids. -100 excludes a token. */
  readonly logitBias?: readonly { readonly token: number; readonly bias: number }[];
  /** Reports each token's log probability, and those of this many alternatives. */
  readonly logprobs?: number;
  readonly format?: AnswerFormat;
};

/**
 * The required form of the answer, enforced token by token. `schema` is JSON as text, because Convex stores no key
 * that begins with "$". `grammar` is llama.cpp's GBNF, with a rule named root.
 */
export type AnswerFormat =
  | { readonly kind: "json" }
  | { readonly kind: "json-schema"; readonly schema: string }
  | { readonly kind: "grammar"; readonly grammar: string };

/** One token of an answer and its alternatives, with natural logarithms. */
export type TokenChoice = {
  readonly token: string;
  readonly logprob: number;
  readonly top: readonly { readonly token: string; readonly logprob: number }[];
};
