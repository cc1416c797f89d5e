import { type LlamaModel, LlamaVocabularyType, type Token } from "node-llama-cpp";
import { jobErrors } from "../../app/contract/job-errors.ts";
import type { RequestStep, RunOutcome } from "../../app/contract/runner.ts";
import { limits } from "../../app/jobs/limits.ts";
import { packIds } from "../../app/jobs/payload/token-ids.ts";
import type { TokensRequest, TokensResult } from "../../app/jobs/work.ts";
import { chatPrompt, plainPrompt, plainTokens } from "./generate/prompt.ts";
import type { LoadedModel } from "./load/load-model.ts";

/** Finds the tokens of a text, or of a chat's prompt. The model itself reads nothing. */
export function tokenize(
  loaded: Pick<LoadedModel, "model" | "wrapper">,
  request: TokensRequest,
  { clock, step }: { readonly clock: () => number; readonly step: (step: RequestStep | null) => void },
): RunOutcome {
  const startedAt = clock();
  step("prompt");
  const tokens = tokensOf(loaded, request);
  step(null);
  const ids = packIds(tokens);
  if (ids.tokenIds.length > limits.resultBytes) return { kind: "failed", error: jobErrors.resultTooLarge };
  const result: TokensResult = {
    ...ids,
    usage: { promptTokens: tokens.length, completionTokens: 0 },
    timing: { prefillMs: Math.round(clock() - startedAt), generateMs: 0 },
  };
  return { kind: "done", result };
}

function tokensOf(loaded: Pick<LoadedModel, "model" | "wrapper">, request: TokensRequest): readonly Token[] {
  const { model } = loaded;
  if ("tokenizeChat" in request) return chatPrompt(loaded, request.tokenizeChat).tokens;
  const { tokenize: text, addSpecial } = request;
  return addSpecial ? withEnds(model, plainPrompt(model, text).tokens) : plainTokens(model, text);
}

/**
 * Adds the tokens around a text that models for embeddings read. Source: llama.cpp, llama-vocab.cpp, by which the library adds them,
 * too, when it computes a vector.
 */
function withEnds(model: LlamaModel, tokens: readonly Token[]): readonly Token[] {
  const { bos, sep, eos, shouldAppendEosToken } = model.tokens;
  const isWordPiece = model.vocabularyType === LlamaVocabularyType.wpm;
  const isUnigram = model.vocabularyType === LlamaVocabularyType.ugm;
  const first = isWordPiece && tokens[0] !== bos ? bos : null;
  const last = isWordPiece ? sep : isUnigram || shouldAppendEosToken ? eos : null;
  return [...(first === null ? [] : [first]), ...tokens, ...(last === null ? [] : [last])];
}
