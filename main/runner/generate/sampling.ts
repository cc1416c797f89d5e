import {
  type LlamaGrammar,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type SequenceEvaluateOptions,
  type Token,
  TokenBias,
} from "node-llama-cpp";
import type { Sampling, TokenChoice } from "../../../app/jobs/sampling.ts";
import type { SamplingWatch } from "./sampling-watch.ts";
import { vocabularySize } from "./vocabulary.ts";

/** How far back the penalties look in the answer. */
const penalizedTokens = 256;

/** A request's sampling in llama.cpp's terms. `answer` holds the answer's tokens so far and grows. */
export function evaluateOptions(
  model: LlamaModel,
  request: Sampling,
  grammar: LlamaGrammar | null,
  answer: readonly Token[],
  watch: Pick<SamplingWatch, "begin">,
): SequenceEvaluateOptions {
  const { repeatPenalty = 1, frequencyPenalty = 0, presencePenalty = 0 } = request;
  const options: SequenceEvaluateOptions = {
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK ?? 0,
    minP: request.minP ?? 0,
    seed: seedOf(request),
  };
  if (grammar !== null) {
    const state = new LlamaGrammarEvaluationState({ model, grammar });
    // The library calls this just before each choice.
    options.grammarEvaluationState = () => {
      watch.begin();
      return state;
    };
  }
  if (repeatPenalty !== 1 || frequencyPenalty !== 0 || presencePenalty !== 0) {
    options.repeatPenalty = {
      punishTokens: () => answer.slice(-penalizedTokens),
      maxPunishTokens: penalizedTokens,
      penalty: repeatPenalty,
      frequencyPenalty,
      presencePenalty,
    };
  }
  const tokenBias = biasOf(model, request);
  if (tokenBias !== null) options.tokenBias = tokenBias;
  return options;
}

/** A request's seed as llama.cpp takes it: a whole number of 32 bits. */
export function seedOf({ seed }: Pick<Sampling, "seed">): number {
  return Math.abs(Math.trunc(seed)) % 2 ** 32;
}

/** Drops tokens that the model does not have. */
function biasOf(model: LlamaModel, { logitBias = [] }: Sampling): TokenBias | null {
  const size = vocabularySize(model);
  const known = logitBias.filter(({ token, bias }) => token < size && bias !== 0);
  if (known.length === 0) return null;
  const all = TokenBias.for(model);
  for (const { token, bias } of known) all.set(token as Token, bias <= -100 ? "never" : { logit: bias });
  return all;
}

/** Stands for the logarithm of a probability of 0, since JSON has no infinity. */
const leastLogprob = -9_999;

/**
 * The log probability of a chosen token, and those of the `count` likeliest.
 * @param text the token's text within the answer. The last token of a character has its text, others of it have none.
 * @param options.special whether control tokens have a text.
 */
export function choiceOf(
  model: LlamaModel,
  step: { readonly token: Token; readonly confidence?: number; readonly probabilities?: Map<Token, number> },
  text: string,
  { count, special }: { readonly count: number; readonly special: boolean },
): TokenChoice {
  const top: { token: string; logprob: number }[] = [];
  // The library sorts them by probability.
  for (const [token, probability] of step.probabilities ?? []) {
    if (top.length >= count) break;
    const own = token === step.token ? text : model.detokenize([token], special);
    top.push({ token: own, logprob: logprobOf(probability) });
  }
  return { token: text, logprob: logprobOf(step.confidence ?? 0), top };
}

function logprobOf(probability: number): number {
  return probability > 0 ? Math.max(leastLogprob, Math.min(0, Math.log(probability))) : leastLogprob;
}

/** The choices of the tokens that make up `text`, without those of a stop string or of blanks that were cut off. */
export function choicesWithin(choices: readonly TokenChoice[], text: string): readonly TokenChoice[] {
  let length = 0;
  const end = choices.findIndex(({ token }) => {
    if (length >= text.length) return true;
    length += token.length;
    return false;
  });
  return end === -1 ? choices : choices.slice(0, end);
}
