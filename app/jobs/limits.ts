/** Bounds of everything that comes from outside, in one place. Bytes are UTF-8. */
export const limits = {
  /** All messages of one request together: well under Convex's 1 MiB per document. */
  promptBytes: 256 * 1024,
  /** A request's raw HTTP body. */
  bodyBytes: 1024 * 1024,
  messages: 1_000,
  maxTokens: 32_768,
  stopStrings: 4,
  stopBytes: 256,
  topK: 1_000,
  /** Of the likeliest tokens that are reported beside each token of an answer. */
  logprobs: 20,
  logitBiases: 300,
  tools: 64,
  /** In one message, asked for or answered with. */
  toolCalls: 16,
  toolDescriptionChars: 4_096,
  callIdChars: 100,
  embeddingInputs: 256,
  /** One appended chunk of streamed text. */
  chunkBytes: 64 * 1024,
  /** A finished answer. */
  resultBytes: 512 * 1024,
  nameChars: 120,
} as const;

/** How often something may be asked for: so often a minute in the long run, and so often at once. */
export const rates = {
  /** Calls of the HTTP API, for each API key. */
  apiCalls: { perMinute: 600, burst: 100 },
  /**
   * Wrong enrolment codes, for each address that they come from. After that an address has to wait with right
   * ones, too; where no address is known, with wrong ones only.
   */
  wrongCodes: { perMinute: 30, burst: 60 },
} as const;

/** What may be set for an API key: jobs under way at once, and turns beside the others' one. The queue's own bounds. */
export const keyLimits = { maxConcurrency: 1_000, maxWeight: 16 } as const;

/** Failed and lost attempts a job survives before it fails for good. */
export const maxFailedAttempts = 4;
