/** Limits for all input from outside. Bytes are UTF-8. */
export const limits = {
  /** All messages of one request together. This is well below Convex's limit of 1 MiB per document. */
  promptBytes: 256 * 1024,
  /** A request's raw HTTP body. */
  bodyBytes: 1024 * 1024,
  /**
   * In a request's body: lists, objects and everything in them. A value costs the backend about a microsecond, so no body
   * delays other calls for long. A chat of 1,000 messages, each with a part, has 6,000. 128 usual tools have 10,000.
   */
  bodyValues: 20_000,
  /** Lists and objects of a body that are in each other. A schema of 50 objects in each other has 100. */
  bodyDepth: 256,
  messages: 1_000,
  contentParts: 1_000,
  maxTokens: 32_768,
  stopStrings: 4,
  stopBytes: 256,
  topK: 1_000,
  /** Answers to one call, each of a job of its own. */
  choices: 8,
  /** Answers to one call of several prompts: these times the choices. They fit the memory of a call, as 16 MB of vectors do. */
  completions: 32,
  /** Answers that are compared to give one, each of a job of its own. */
  votes: 5,
  /** Alternative tokens that are reported for each token of an answer. */
  logprobs: 20,
  logitBiases: 300,
  tools: 128,
  /** In one message of a request or an answer. */
  toolCalls: 16,
  /** Agents explain a tool on several pages. All tools of a request are within `promptBytes`, too. */
  toolDescriptionChars: 32_768,
  callIdChars: 100,
  /** Of one job. */
  embeddingInputs: 256,
  /** Of a call, which becomes several jobs. As in OpenAI's API. */
  embeddingInputsOfCall: 2_048,
  /** Of a call that ranks them. */
  rerankedDocuments: 1_000,
  /** Of a job of such a call: few enough that vectors of 3,072 numbers fit a job's result. */
  embeddingInputsOfPart: 32,
  /** Of an answer with vectors, so that a call does not fill the backend's memory. */
  vectorsBytes: 16 * 1024 * 1024,
  /** One appended chunk of streamed text. */
  chunkBytes: 64 * 1024,
  /** A finished answer. */
  resultBytes: 512 * 1024,
  /** A requester's rating of an answer. */
  ratingCommentChars: 1_000,
  nameChars: 120,
} as const;

/** Rate limits: requests per minute in the long run, and requests at once. */
export const rates = {
  /** Calls to the HTTP API, for each API key. `spare`: further calls at once that nobody is promised. */
  apiCalls: { perMinute: 600, burst: 100, spare: 100 },
  /**
   * Wrong enrollment codes, for each address that sends them. Beyond the limit, the address must wait even with a
   * right code. If the address is unknown, only wrong codes must wait.
   */
  wrongCodes: { perMinute: 30, burst: 60 },
  /** Tries to sign in with a password, for each member and for each address from which they come. */
  passwords: { perMinute: 5, burst: 10 },
  passwordsOfAddress: { perMinute: 30, burst: 60 },
  /** Codes of a second factor that are tried, for each member. Three of a million codes are right, so the limit is low. */
  secondFactors: { perMinute: 0.2, burst: 10 },
  /** Links to reset a password, for each e-mail address. */
  passwordResets: { perMinute: 0.05, burst: 3 },
  /** Own computers that a member confirms. */
  confirmedDevices: { perMinute: 0.5, burst: 20 },
  /** Sign-ins that go to a provider, of each address from which they come. */
  providerVisits: { perMinute: 30, burst: 60 },
  /** Refused acts of a member, and refused sign-ins to an organization, that the audit trail notes. Others leave no row. */
  auditedRefusals: { perMinute: 1, burst: 20 },
} as const;

/** Calls that may wait for their answers at a time, of one API key and of all keys of an organization. Each holds a connection. */
export const waitingCalls = {
  most: 512,
  mostOfOrganization: 2_048,
  /** A call counts once it has waited this long, in ms. Most answers take less. */
  countedAfterMs: 5_000,
} as const;

/**
 * How long a job may take from its submission to its end, in ms; then it expires. `ofCall`: without an idempotency key, since
 * a call waits for at most nine minutes. Requesters may choose within the bounds.
 */
export const jobTimes = {
  leastMs: 10_000,
  mostMs: 7 * 24 * 3_600_000,
  usualMs: 24 * 3_600_000,
  ofCallMs: 10 * 60_000,
} as const;

/** The queue's bounds for an API key: running jobs, and the weight of its turns (others have 1). */
export const keyLimits = { maxConcurrency: 1_000, maxWeight: 16 } as const;

/** Failed and lost attempts that a job may have before it fails for good. */
export const maxFailedAttempts = 4;

/** How long a cancel, a retry or a discard from the console waits, so that it can be undone. */
export const changeHeldMs = 8_000;
/** The most jobs of one such change. */
export const changedAtOnce = 50;
