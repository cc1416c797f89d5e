import * as z from "zod";
import { type ReadingCosts, readingCosts } from "../jobs/answers/reading-costs.ts";
import { callableTools, type ChatResult, finishReasons, type ToolCall } from "../jobs/chat.ts";
import { limits } from "../jobs/limits.ts";
import { parseWork } from "../jobs/payload/payload.ts";
import type { EmbeddingRequest, EmbeddingResult, TextWork } from "../jobs/work.ts";
import type { TokenFit } from "./token-fit.ts";

/*
 * A replay checks a finished answer on another device. That one reads the prompt and the answer with the same model, in one pass. It
 * compares each token with the one that it would have written. Of vectors it computes some again.
 */

/** The payload of a replay of a text. */
export type TextReplay = {
  readonly of: TextWork;
  readonly answer: Pick<ChatResult, "text" | "finishReason"> & {
    readonly toolCalls?: readonly Pick<ToolCall, "name" | "arguments">[];
    /** The tokens of the answer, as its device told them: ../jobs/answers/written-tokens.ts. Absent from older devices. */
    readonly written?: string;
  };
};

/** The payload of a replay of vectors: some of a job's inputs with their vectors, in the same order. */
export type VectorReplay = {
  readonly of: { readonly kind: "embedding"; readonly request: EmbeddingRequest };
  readonly answer: Pick<EmbeddingResult, "embeddings">;
};

export type ReplayRequest = TextReplay | VectorReplay;

export function isOfVectors(request: ReplayRequest): request is VectorReplay {
  return request.of.kind === "embedding";
}

/** How the tokens of an answer fit the checker's model. */
export type Replay = {
  /** Compared tokens, with the end of the answer if that was compared, too. A vector counts as `tokensOfVector`. */
  readonly tokens: number;
  /** The sum of their regrets. */
  readonly regret: number;
  /** Tokens that the model writes only if its probabilities are far off. */
  readonly misses: number;
  /** Of these, tokens that it cannot write at all. */
  readonly impossible: number;
  /** The sum of the natural logarithms of their probabilities. A token that is not among the candidates counts as `leastLogprob`. */
  readonly logprob: number;
};

/** The tokens of a prompt and of its answer. */
export type TokenCounts = { readonly promptTokens: number; readonly completionTokens: number };

/** A replay as a device reports it. */
export type ReplayResult = ReadingCosts & {
  readonly replay: Replay;
  /** The checker's tokens of the prompt and the answer. Absent for vectors, and from older devices. */
  readonly counted?: TokenCounts;
};

/** A regret above this is a miss. Honest devices differ by far less, since it is a share of all probability. */
export const missRegret = 0.05;
/** The least natural logarithm of a probability that counts. */
export const leastLogprob = -20;

/** Sums up the compared tokens of an answer. */
export function replayOf(fits: readonly TokenFit[]): Replay {
  const sum = (of: (fit: TokenFit) => number): number => fits.reduce((total, fit) => total + of(fit), 0);
  return {
    tokens: fits.length,
    regret: sum(({ regret }) => regret),
    misses: sum(({ regret }) => (regret > missRegret ? 1 : 0)),
    impossible: sum(({ regret }) => (regret >= 1 ? 1 : 0)),
    logprob: sum(({ logprob }) => Math.max(leastLogprob, logprob ?? leastLogprob)),
  };
}

/**
 * Whether a replay can tell something about an answer. An empty one may be the beginning of a call that was cut, or all that a grammar
 * allows.
 */
export function isReplayable({ request }: TextWork, { text, toolCalls = [] }: TextReplay["answer"]): boolean {
  if (text !== "" || toolCalls.length > 0) return true;
  return request.format === undefined && (!("messages" in request) || callableTools(request).length === 0);
}

/** At most so many vectors of one answer are computed again. A device does not know which. */
export const mostVectors = 8;

const textReplay = z.object({
  of: z.object({ kind: z.enum(["chat", "completion"]), request: z.unknown() }),
  answer: z.object({
    text: z.string().max(limits.resultBytes),
    finishReason: z.enum(finishReasons),
    toolCalls: z
      .array(z.object({ name: z.string(), arguments: z.string().max(limits.resultBytes) }))
      .max(limits.toolCalls)
      .exactOptional(),
    written: z.string().max(limits.resultBytes).exactOptional(),
  }),
});

const vectorReplay = z.object({
  of: z.object({ kind: z.literal("embedding"), request: z.unknown() }),
  answer: z.object({ embeddings: z.array(z.string().max(limits.resultBytes)).min(1).max(mostVectors) }),
});

/** Parses the payload of a replay. Null if a device must not accept it. */
export function parseReplay(payload: unknown): ReplayRequest | null {
  const ofVectors = vectorReplay.safeParse(payload).data;
  if (ofVectors !== undefined) {
    const { of, answer } = ofVectors;
    const work = parseWork(of.kind, of.request);
    if (work?.kind !== "embedding" || work.request.inputs.length !== answer.embeddings.length) return null;
    return { of: work, answer };
  }
  const parsed = textReplay.safeParse(payload).data;
  if (parsed === undefined) return null;
  const work = parseWork(parsed.of.kind, parsed.of.request);
  if (work?.kind !== "chat" && work?.kind !== "completion") return null;
  const names = new Set(
    "messages" in work.request ? callableTools(work.request).map(({ name }) => name) : [],
  );
  const { toolCalls = [] } = parsed.answer;
  return toolCalls.every(({ name }) => names.has(name)) ? { of: work, answer: parsed.answer } : null;
}

const tokens = z
  .number()
  .int()
  .min(0)
  .max(limits.maxTokens + 1);

/** A device may report anything, so the counts have to fit each other. */
const compared = z
  .object({
    tokens,
    regret: z.number().min(0),
    misses: tokens,
    impossible: tokens,
    logprob: z.number().max(0),
  })
  .refine(
    (replay) =>
      replay.misses <= replay.tokens &&
      replay.impossible <= replay.misses &&
      replay.regret <= replay.tokens &&
      replay.regret >= replay.impossible &&
      replay.logprob >= leastLogprob * replay.tokens,
    "has counts that do not fit each other",
  );

const count = z.number().int().min(0);

/** The form of a replay's result. */
export const replayResult = z
  .object({
    replay: compared,
    counted: z.object({ promptTokens: count, completionTokens: tokens }).exactOptional(),
    ...readingCosts,
  })
  .readonly() satisfies z.ZodType<ReplayResult>;

/** A text, and the name and the arguments of each call. */
const mostPassages = 1 + 2 * limits.toolCalls;

/**
 * Whether a checker counts as many tokens as it compares. The end of each passage counts as a token, too. Tokens that a grammar forces
 * are counted, but not compared.
 */
export function holdsCounts(
  { replay, counted }: Pick<ReplayResult, "replay" | "counted">,
  isConstrained: boolean,
): boolean {
  if (counted === undefined) return true;
  const more = replay.tokens - counted.completionTokens;
  return isConstrained ? more <= mostPassages : more === 0 || more === 1;
}
