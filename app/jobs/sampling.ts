/** How text is generated: by chat jobs and by completions. What is left out changes nothing. */
export type Sampling = {
  readonly maxTokens: number;
  /** 0: always the likeliest token. */
  readonly temperature: number;
  readonly topP: number;
  /** Chosen at submission when the requester gave none, so that a retry gives the same text. */
  readonly seed: number;
  readonly stop: readonly string[];
  /** Only the so many likeliest tokens; 0: all. */
  readonly topK?: number;
  /** Only tokens at least so likely, as a share of the likeliest one's probability. */
  readonly minP?: number;
  /** Over the answer so far; 1: none. */
  readonly repeatPenalty?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** Added to the logits, by the model's own token ids; -100: never. */
  readonly logitBias?: readonly { readonly token: number; readonly bias: number }[];
  /** Report each token's log probability, and those of so many of the likeliest beside it. */
  readonly logprobs?: number;
  readonly format?: AnswerFormat;
};

/**
 * What the answer has to be, enforced token by token. `schema` is JSON, as text: Convex keeps no key that begins with
 * "$". `grammar` is llama.cpp's GBNF, with a rule named root.
 */
export type AnswerFormat =
  | { readonly kind: "json" }
  | { readonly kind: "json-schema"; readonly schema: string }
  | { readonly kind: "grammar"; readonly grammar: string };

/** One token of an answer, and what else might have stood there. Natural logarithms. */
export type TokenChoice = {
  readonly token: string;
  readonly logprob: number;
  readonly top: readonly { readonly token: string; readonly logprob: number }[];
};
