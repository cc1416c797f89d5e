import type { attemptStatus, jobStatus } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { callForms } from "../../../app/jobs/call-forms.ts";
import {
  type AttemptStatus,
  finalStatuses,
  type JobStatus,
  requestStatuses,
} from "../../../app/jobs/states.ts";
import type { Work } from "../../../app/jobs/work.ts";
import type { Same } from "./same.ts";

export const requestStatus = literals(...requestStatuses);

// The queue's own validators, of values that app/ declares, too.
true satisfies Same<Infer<typeof jobStatus>, JobStatus>;
true satisfies Same<Infer<typeof attemptStatus>, AttemptStatus>;

/** How a job ended. */
export const outcome = literals(...finalStatuses);

/** How text is generated. */
const sampling = {
  maxTokens: v.number(),
  temperature: v.number(),
  topP: v.number(),
  seed: v.number(),
  stop: v.array(v.string()),
  topK: v.optional(v.number()),
  minP: v.optional(v.number()),
  repeatPenalty: v.optional(v.number()),
  frequencyPenalty: v.optional(v.number()),
  presencePenalty: v.optional(v.number()),
  logitBias: v.optional(v.array(v.object({ token: v.number(), bias: v.number() }))),
  logprobs: v.optional(v.number()),
  format: v.optional(
    v.union(
      v.object({ kind: v.literal("json") }),
      v.object({ kind: v.literal("json-schema"), schema: v.string() }),
      v.object({ kind: v.literal("grammar"), grammar: v.string() }),
    ),
  ),
};

export const toolCall = v.object({ id: v.string(), name: v.string(), arguments: v.string() });

const conversation = {
  messages: v.array(
    v.object({
      role: v.union(v.literal("system"), v.literal("user"), v.literal("assistant"), v.literal("tool")),
      content: v.string(),
      toolCalls: v.optional(v.array(toolCall)),
      toolCallId: v.optional(v.string()),
    }),
  ),
  tools: v.optional(
    v.array(
      v.object({
        name: v.string(),
        description: v.optional(v.string()),
        parameters: v.optional(v.string()),
      }),
    ),
  ),
};

export const chatRequest = v.object({
  ...sampling,
  ...conversation,
  toolChoice: v.optional(
    v.union(v.literal("none"), v.literal("auto"), v.literal("required"), v.object({ name: v.string() })),
  ),
  parallelToolCalls: v.optional(v.boolean()),
});

export const tokenIds = v.object({ tokenIds: v.string() });

const textOrIds = v.union(v.string(), tokenIds);

export const completionRequest = v.object({ ...sampling, prompt: textOrIds });

const embeddingRequest = v.object({ inputs: v.array(textOrIds), dimensions: v.optional(v.number()) });

const tokensRequest = v.union(
  v.object({ tokenize: v.string(), addSpecial: v.boolean() }),
  v.object({ tokenizeChat: v.object(conversation) }),
);

/** The form of a job's own call, if it is not the usual one of its kind. */
export const callForm = literals(...callForms);

/** A job's request, by its kind. */
export const work = v.union(
  v.object({ kind: v.literal("chat"), request: chatRequest }),
  v.object({ kind: v.literal("completion"), request: completionRequest }),
  v.object({ kind: v.literal("embedding"), request: embeddingRequest }),
  v.object({ kind: v.literal("tokens"), request: tokensRequest }),
);
true satisfies Same<Infer<typeof work>, Work>;
