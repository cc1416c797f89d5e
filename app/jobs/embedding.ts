/** An embedding job's payload. */
export type EmbeddingRequest = { readonly inputs: readonly string[] };

/** One vector for each input, of length 1: 32-bit floats, little-endian, in base64. */
export type EmbeddingResult = {
  readonly embeddings: readonly string[];
  readonly usage: { readonly promptTokens: number; readonly completionTokens: 0 };
  readonly timing: { readonly prefillMs: number; readonly generateMs: 0 };
};
