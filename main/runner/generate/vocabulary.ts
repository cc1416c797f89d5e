import type { LlamaModel } from "node-llama-cpp";

/** The number of tokens that a model has. For a larger id, the library would read beyond its table. */
export function vocabularySize(model: LlamaModel): number {
  return model.fileInfo.metadata.tokenizer.ggml.tokens.length;
}
