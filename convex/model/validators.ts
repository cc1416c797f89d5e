import { type Infer, v } from "convex/values";
import type { ChatRequest, ChatResult } from "../../app/jobs/chat.ts";
import type { AttemptStatus, JobStatus, RequestStatus } from "../../app/jobs/states.ts";
import type { DonateReason, HoldReason } from "../../app/policy/reasons.ts";
import type { attemptStatus, jobStatus } from "../queue/validators.ts";

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

/** A chat job's result in the queue, and the report that comes with it. */
export const chatText = v.object({ text: v.string(), finishReason });
export const chatReport = v.object({ usage, timing });

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

/** Where a donor gets the model file: with the program, or from a URL. */
export const modelSource = v.string();

/** Micro-credits per token. */
export const price = v.object({ promptMicro: v.int64(), completionMicro: v.int64() });

type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
type Frozen<T> = T extends object ? { readonly [Field in keyof T]: Frozen<T[Field]> } : T;

/** Does not compile when a validator and its type part ways. */
export const validatorsMatch: readonly true[] = [
  true satisfies Both<Frozen<Infer<typeof chatRequest>>, ChatRequest>,
  true satisfies Both<Frozen<Infer<typeof chatText> & Infer<typeof chatReport>>, ChatResult>,
  true satisfies Both<Infer<typeof jobStatus>, JobStatus>,
  true satisfies Both<Infer<typeof attemptStatus>, AttemptStatus>,
  true satisfies Both<Infer<typeof requestStatus>, RequestStatus>,
  true satisfies Both<Infer<typeof holdReason>, HoldReason>,
  true satisfies Both<Infer<typeof donateReason>, DonateReason>,
];
