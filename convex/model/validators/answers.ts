import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { energySources, type JobEnergy } from "../../../app/energy/job-energy.ts";
import { type ChatResult, finishReasons } from "../../../app/jobs/chat.ts";
import { disputeStates, ratingReasons, ratings } from "../../../app/jobs/rating.ts";
import type { StreamItem } from "../../../app/jobs/stream-item.ts";
import type { EmbeddingResult } from "../../../app/jobs/work.ts";
import { tokenIds, toolCall } from "./requests.ts";
import type { Same } from "./same.ts";

export const usage = v.object({
  promptTokens: v.number(),
  completionTokens: v.number(),
  cachedPromptTokens: v.optional(v.number()),
});

export const timing = v.object({ prefillMs: v.number(), generateMs: v.number() });

const logprob = { token: v.string(), logprob: v.number() };

const tokenChoice = v.object({ ...logprob, top: v.array(v.object(logprob)) });

/** The queue stores an answer as a job's result, together with a report of its cost. */
export const textAnswer = v.object({
  text: v.string(),
  finishReason: literals(...finishReasons),
  stopText: v.optional(v.string()),
  toolCalls: v.optional(v.array(toolCall)),
  logprobs: v.optional(v.array(tokenChoice)),
  /** The tokens that the model wrote: app/jobs/answers/written-tokens.ts. Only checkers get them. */
  written: v.optional(v.string()),
});

/** The part of an answer that its requester gets. */
export const shownAnswer = textAnswer.omit("written");

/** A piece of an answer that a device streams beside its text. */
export const streamItem = v.union(
  v.object({ token: tokenChoice }),
  v.object({ call: v.object({ id: v.string(), name: v.string() }) }),
  v.object({ arguments: v.string() }),
);
true satisfies Same<Infer<typeof streamItem>, StreamItem>;

export const vectorAnswer = v.object({ embeddings: v.array(v.string()) });
true satisfies Same<Infer<typeof vectorAnswer>, Pick<EmbeddingResult, "embeddings">>;

/** The tokens of a text. */
export const tokensAnswer = tokenIds;

/** A replay's counts, as a device reports them: app/trust/replay.ts. */
export const replayCounts = v.object({
  tokens: v.number(),
  regret: v.number(),
  misses: v.number(),
  impossible: v.number(),
  logprob: v.number(),
});

export const tokenCounts = v.object({ promptTokens: v.number(), completionTokens: v.number() });

/** The result of a job that replays an answer. `counted`: the checker's tokens. */
export const replayAnswer = v.object({ replay: replayCounts, counted: v.optional(tokenCounts) });

export const workReport = v.object({ usage, timing });
true satisfies Same<Infer<typeof textAnswer> & Infer<typeof workReport>, ChatResult>;

export const jobEnergy = v.object({ microWh: v.number(), source: literals(...energySources) });
true satisfies Same<Infer<typeof jobEnergy>, JobEnergy>;

/** An answer that checks found wrong, and what became of its request. At first it has only the time. Reasons are sentences. */
export const foundWrong = v.object({
  at: v.number(),
  /** The job that answers the request again. */
  correctedBy: v.optional(v.string()),
  /** Why no job does. */
  notCorrected: v.optional(v.string()),
  /** Why none did for a while, before one of these was known. */
  postponedFor: v.optional(v.string()),
  /** Why none does yet, and the time of the next try. The reason may pass. */
  postponed: v.optional(v.object({ why: v.string(), nextAt: v.number() })),
});

/** The whole report of a device. Those of earlier versions have the costs only. `model`: the hash of the file that it used. */
export const deviceReport = v.object({
  ...workReport.fields,
  model: v.optional(v.string()),
  energy: v.optional(jobEnergy),
});

/** A requester's rating of an answer: app/jobs/rating.ts. */
export const rating = literals(...ratings);

export const ratingReason = literals(...ratingReasons);

export const disputeState = literals(...disputeStates);

/** An administrator's decision about a disputed answer. `refundMicro`: what the key got back. */
export const disputeDecision = v.object({
  by: v.id("members"),
  at: v.number(),
  reason: v.string(),
  refundMicro: v.optional(v.int64()),
});
