import type { LlamaModel, Token } from "node-llama-cpp";
import type { TokenChoice } from "../../../app/jobs/sampling.ts";

/** A probability of nought has no finite logarithm, and JSON no infinity. */
const leastLogprob = -9_999;

/** The log probability of a token that was chosen, and of the `count` likeliest. */
export function choiceOf(
  model: LlamaModel,
  step: { readonly token: Token; readonly confidence?: number; readonly probabilities?: Map<Token, number> },
  count: number,
): TokenChoice {
  const top: { token: string; logprob: number }[] = [];
  // In the order of their probabilities, by the library's promise.
  for (const [token, probability] of step.probabilities ?? []) {
    if (top.length >= count) break;
    top.push({ token: textOf(model, token), logprob: logprobOf(probability) });
  }
  return { token: textOf(model, step.token), logprob: logprobOf(step.confidence ?? 0), top };
}

function textOf(model: LlamaModel, token: Token): string {
  return model.detokenize([token], false);
}

function logprobOf(probability: number): number {
  return probability > 0 ? Math.max(leastLogprob, Math.min(0, Math.log(probability))) : leastLogprob;
}

/** The choices whose tokens make up `text`: those of a stop string, or of blanks that were cut off, are none of it. */
export function choicesWithin(choices: readonly TokenChoice[], text: string): readonly TokenChoice[] {
  let length = 0;
  const end = choices.findIndex(({ token }) => {
    if (length >= text.length) return true;
    length += token.length;
    return false;
  });
  return end === -1 ? choices : choices.slice(0, end);
}
