import { type Infer, v } from "convex/values";
import type { ChatRequest, ChatResult, JobError } from "../../app/jobs/chat.ts";
import type { DonateReason, HoldReason } from "../../app/policy/reasons.ts";

/**
 * The app's types as Convex validators. Those that are plain data are checked against their type below;
 * the others meet it wherever a value goes in or out.
 */
export const jobStatus = v.union(
  v.literal("ready"),
  v.literal("running"),
  v.literal("succeeded"),
  v.literal("failed"),
  v.literal("canceled"),
);

export const attemptStatus = v.union(
  v.literal("running"),
  v.literal("succeeded"),
  v.literal("failed"),
  v.literal("released"),
  v.literal("lost"),
  v.literal("canceled"),
);

export const chatRequest = v.object({
  messages: v.array(
    v.object({
      role: v.union(v.literal("system"), v.literal("user"), v.literal("assistant")),
      content: v.string(),
    }),
  ),
  maxTokens: v.number(),
  temperature: v.number(),
  topP: v.number(),
  seed: v.number(),
  stop: v.array(v.string()),
});

export const finishReason = v.union(v.literal("stop"), v.literal("length"));

export const usage = v.object({ promptTokens: v.number(), completionTokens: v.number() });

export const timing = v.object({ prefillMs: v.number(), generateMs: v.number() });

export const chatResult = v.object({ text: v.string(), finishReason, usage, timing });

export const jobError = v.object({
  code: v.union(
    v.literal("context_length_exceeded"),
    v.literal("model_unavailable"),
    v.literal("model_corrupt"),
    v.literal("runner_crashed"),
    v.literal("runner_timeout"),
    v.literal("out_of_memory"),
    v.literal("internal_error"),
  ),
  message: v.string(),
  retryable: v.boolean(),
});

export const holdReason = v.union(
  v.literal("starting"),
  v.literal("not-enrolled"),
  v.literal("retired"),
  v.literal("offline"),
  v.literal("paused-by-you"),
  v.literal("in-use"),
  v.literal("idle-unknown"),
  v.literal("on-battery"),
  v.literal("battery-low"),
  v.literal("power-unknown"),
  v.literal("other-load"),
  v.literal("no-model"),
);

export const donateReason = v.union(v.literal("idle"), v.literal("donate-now"), v.literal("unattended"));

export const activity = v.union(
  v.object({ kind: v.literal("donating"), reason: donateReason }),
  v.object({ kind: v.literal("holding"), reason: holdReason }),
);

export const capabilities = v.object({
  threads: v.number(),
  memoryMb: v.number(),
  models: v.array(v.string()),
});

/** Where a donor gets the model file: with the program, or from a URL. */
export const modelSource = v.string();

/** Micro-credits per token. */
export const price = v.object({ promptMicro: v.int64(), completionMicro: v.int64() });

/** What a device gets with a claim. `watched`: append the text as it comes. */
export const claimed = v.object({
  kind: v.literal("claimed"),
  attemptId: v.id("attempts"),
  jobId: v.id("jobs"),
  modelId: v.string(),
  request: chatRequest,
  watched: v.boolean(),
});

export type Claimed = Infer<typeof claimed>;

type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
type Frozen<T> = T extends object ? { readonly [Field in keyof T]: Frozen<T[Field]> } : T;

/** Does not compile when a validator and its type part ways. */
export const validatorsMatch: readonly true[] = [
  true satisfies Both<Frozen<Infer<typeof chatRequest>>, ChatRequest>,
  true satisfies Both<Frozen<Infer<typeof chatResult>>, ChatResult>,
  true satisfies Both<Frozen<Infer<typeof jobError>>, JobError>,
  true satisfies Both<Infer<typeof holdReason>, HoldReason>,
  true satisfies Both<Infer<typeof donateReason>, DonateReason>,
];
