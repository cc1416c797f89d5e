import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { deviceNeeds } from "../validators/keys.ts";
import { outcome } from "../validators/requests.ts";

/** The part of a request for a ranking that its jobs do not have. */
export const ranking = v.object({ topN: v.number(), returnDocuments: v.boolean() });

/** The votes that a call asks for. `maxTokens`: before it was cut to the context of the model. */
export const askedVote = v.object({ votes: v.number(), escalate: v.boolean(), maxTokens: v.number() });

/** How a call is answered later. A call without these fields is answered with the answers of all its jobs, as they are. */
export const laterCall = v.object({
  ranking: v.optional(ranking),
  vote: v.optional(askedVote),
  /** Of a call for vectors: how many. */
  vectors: v.optional(v.number()),
});

/** The vectors of a call. `fit`: whether the first answer has shown that all of them are not too large. */
export const askedVectors = v.object({ count: v.number(), fit: v.boolean() });

/** How the answer of a call with votes was found. `confidence`: null if a larger model has answered. */
export const opinion = v.object({
  votes: v.number(),
  agreed: v.number(),
  confidence: v.union(v.number(), v.null()),
  escalated: v.boolean(),
});

/** The answer that was chosen. `answer`: its job. `ballots`: the jobs that have answered, in the order in which they were asked. */
export const decision = v.object({ answer: v.string(), ballots: v.array(v.string()), opinion });

/** A call with votes that nobody has to wait for. Each step reads and writes it: model/calls/votes.ts. */
export const vote = v.object({
  ...askedVote.fields,
  /** The fields of its submission that further jobs need. */
  alias: v.optional(v.string()),
  requires: v.optional(deviceNeeds),
  expiresInMs: v.optional(v.number()),
  idempotencyKey: v.string(),
  callHash: v.string(),
  /** Whether it repeats a call that has waited. That one asks and counts the votes, and may still wait for them. */
  isRepeated: v.boolean(),
  /** When idle devices were last asked. Absent: never. */
  askedAt: v.optional(v.number()),
  /** The decision of the votes. A larger model may still change it. */
  decided: v.optional(decision),
  /** The models to ask, in their order. `asked`: how many of them were; the last one's job, and when. */
  larger: v.optional(
    v.object({
      models: v.array(v.string()),
      asked: v.number(),
      job: v.optional(v.object({ jobId: v.string(), askedAt: v.number() })),
    }),
  ),
});

/** `decided`: its votes are. `failed`: a job has, or no vote has answered. `canceled`: by its requester. */
export const callEnd = v.object({
  at: v.number(),
  how: literals("decided", "failed", "canceled"),
  /** Only of a failed call: the job whose end is that of the call. */
  failed: v.optional(v.object({ jobId: v.string(), status: outcome })),
  /** Only of a failed call none of whose jobs has failed. */
  error: v.optional(v.object({ code: v.string(), message: v.string() })),
  /** Only of a decided call. */
  decision: v.optional(decision),
});
