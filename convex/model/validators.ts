import type { attemptStatus, jobStatus } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import type { ChatResult } from "../../app/jobs/chat.ts";
import type { EmbeddingResult } from "../../app/jobs/embedding.ts";
import type { AttemptStatus, JobStatus, RequestStatus } from "../../app/jobs/states.ts";
import type { Work } from "../../app/jobs/work.ts";
import type { DonateReason } from "../../app/policy/declare/activity.ts";
import { donateReasons, type StandbyReason, standbyReasons } from "../../app/policy/reasons.ts";

/**
 * The app's types as Convex validators. Those that are plain data are checked against their type below;
 * the others meet it wherever a value goes in or out.
 */
export const requestStatus = v.union(
  v.literal("queued"),
  v.literal("running"),
  v.literal("succeeded"),
  v.literal("failed"),
  v.literal("canceled"),
  v.literal("expired"),
);

/** How a job ends. */
export const outcome = v.union(
  v.literal("succeeded"),
  v.literal("failed"),
  v.literal("canceled"),
  v.literal("expired"),
);

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

const toolCall = v.object({ id: v.string(), name: v.string(), arguments: v.string() });

export const chatRequest = v.object({
  ...sampling,
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
  toolChoice: v.optional(
    v.union(v.literal("none"), v.literal("auto"), v.literal("required"), v.object({ name: v.string() })),
  ),
});

export const completionRequest = v.object({ ...sampling, prompt: v.string() });
export const embeddingRequest = v.object({ inputs: v.array(v.string()) });

/** What a job asks for, by its kind. */
export const work = v.union(
  v.object({ kind: v.literal("chat"), request: chatRequest }),
  v.object({ kind: v.literal("completion"), request: completionRequest }),
  v.object({ kind: v.literal("embedding"), request: embeddingRequest }),
);

export const finishReason = v.union(v.literal("stop"), v.literal("length"), v.literal("tool_calls"));

export const usage = v.object({
  promptTokens: v.number(),
  completionTokens: v.number(),
  cachedPromptTokens: v.optional(v.number()),
});

export const timing = v.object({ prefillMs: v.number(), generateMs: v.number() });

/** Results in the queue: of chats and completions, of embeddings; and the report that comes with each. */
const logprob = { token: v.string(), logprob: v.number() };
export const textAnswer = v.object({
  text: v.string(),
  finishReason,
  toolCalls: v.optional(v.array(toolCall)),
  logprobs: v.optional(v.array(v.object({ ...logprob, top: v.array(v.object(logprob)) }))),
});
export const vectorAnswer = v.object({ embeddings: v.array(v.string()) });
export const workReport = v.object({ usage, timing });

const standbyReason = literals(...(Object.keys(standbyReasons) as StandbyReason[]));
const donateReason = literals(...(Object.keys(donateReasons) as DonateReason[]));

export const activity = v.union(
  v.object({ kind: v.literal("donating"), reason: donateReason }),
  v.object({ kind: v.literal("holding"), reason: standbyReason }),
);

/** Where a donor gets the model file: with the program, or from a URL. */
export const modelSource = v.string();

/** Where a model stands on a device. */
export const modelState = v.union(
  v.literal("missing"),
  v.literal("waiting"),
  v.literal("downloading"),
  v.literal("verifying"),
  v.literal("ready"),
  v.literal("corrupt"),
);

/** A model on a device, as the device tells of it. Speeds are tokens per second, measured there. */
export const deviceModel = v.object({
  modelId: v.string(),
  state: modelState,
  downloadedBytes: v.optional(v.number()),
  /** What it waits for. */
  why: v.optional(v.string()),
  speed: v.optional(
    v.object({
      prefill: v.number(),
      generate: v.number(),
      /** What computes there, e.g. "cpu" or "cuda". */
      backend: v.string(),
    }),
  ),
});

/**
 * Rules by name: those that are set, and which of them a donor cannot change. Not a validator per rule: rules come and
 * go with versions, and a stored policy must outlive them. They are checked where they come in (model/policies/).
 */
export const policyRules = v.object({
  values: v.record(v.string(), v.any()),
  locked: v.array(v.string()),
});

/** Micro-credits per token. */
export const price = v.object({ promptMicro: v.int64(), completionMicro: v.int64() });

type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
type Frozen<T> = T extends object ? { readonly [Field in keyof T]: Frozen<T[Field]> } : T;

/** Does not compile when a validator and its type part ways. */
export const validatorsMatch: readonly true[] = [
  true satisfies Both<Frozen<Infer<typeof work>>, Work>,
  true satisfies Both<Frozen<Infer<typeof textAnswer> & Infer<typeof workReport>>, ChatResult>,
  true satisfies Both<Frozen<Infer<typeof vectorAnswer>>, Pick<EmbeddingResult, "embeddings">>,
  true satisfies Both<Infer<typeof jobStatus>, JobStatus>,
  true satisfies Both<Infer<typeof attemptStatus>, AttemptStatus>,
  true satisfies Both<Infer<typeof requestStatus>, RequestStatus>,
];
