import {
  type LlamaGrammar,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type SequenceEvaluateOptions,
  type Token,
  TokenBias,
} from "node-llama-cpp";
import type { Sampling } from "../../../app/jobs/sampling.ts";

/** Penalties look back at so many tokens of the answer. */
const penalizedTokens = 256;

/** llama.cpp's terms for how a request wants its text made. `answer`: the answer's tokens so far, as they come. */
export function evaluateOptions(
  model: LlamaModel,
  request: Sampling,
  grammar: LlamaGrammar | null,
  answer: readonly Token[],
): SequenceEvaluateOptions {
  const { repeatPenalty = 1, frequencyPenalty = 0, presencePenalty = 0 } = request;
  const penalized = repeatPenalty !== 1 || frequencyPenalty !== 0 || presencePenalty !== 0;
  const tokenBias = biasOf(model, request);
  return {
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK ?? 0,
    minP: request.minP ?? 0,
    seed: Math.abs(Math.trunc(request.seed)) % 2 ** 32,
    ...(grammar === null
      ? {}
      : { grammarEvaluationState: new LlamaGrammarEvaluationState({ model, grammar }) }),
    ...(penalized
      ? {
          repeatPenalty: {
            punishTokens: () => answer.slice(-penalizedTokens),
            maxPunishTokens: penalizedTokens,
            penalty: repeatPenalty,
            frequencyPenalty,
            presencePenalty,
          },
        }
      : {}),
    ...(tokenBias === null ? {} : { tokenBias }),
  };
}

/** Tokens that the model has not are left out: the library would look beyond its table. */
function biasOf(model: LlamaModel, { logitBias = [] }: Sampling): TokenBias | null {
  const size = model.fileInfo.metadata.tokenizer.ggml.tokens.length;
  const known = logitBias.filter(({ token, bias }) => token < size && bias !== 0);
  if (known.length === 0) return null;
  const all = TokenBias.for(model);
  for (const { token, bias } of known) all.set(token as Token, bias <= -100 ? "never" : { logit: bias });
  return all;
}
