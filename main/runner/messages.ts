import { z } from "zod";
import type { FromRunner, ToRunner } from "../../app/contract/runner.ts";
import { limits } from "../../app/jobs/limits.ts";

const attemptId = z.string().min(1).max(200);

/** A chat request as a device accepts it: the backend bounded it, and is not taken at its word. */
export const chatRequest = z.object({
  messages: z
    .array(z.object({ role: z.enum(["system", "user", "assistant"]), content: z.string() }))
    .min(1)
    .max(limits.messages),
  maxTokens: z.number().int().min(1).max(limits.maxTokens),
  temperature: z.number().min(0).max(2),
  topP: z.number().min(0).max(1),
  seed: z.number(),
  stop: z.array(z.string().min(1).max(limits.stopBytes)).max(limits.stopStrings),
});

const toRunner = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("run"),
    attemptId,
    model: z.object({
      modelId: z.string(),
      path: z.string(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      sizeBytes: z.number().int().positive(),
      contextTokens: z.number().int().positive(),
    }),
    request: chatRequest,
    threads: z.number().int().min(1).max(256),
  }),
  z.object({ type: z.literal("abort"), attemptId }),
  z.object({ type: z.literal("unload") }),
]);

const count = z.number().int().min(0);

const jobError = z.object({
  code: z.enum([
    "context_length_exceeded",
    "model_unavailable",
    "model_corrupt",
    "runner_crashed",
    "runner_timeout",
    "out_of_memory",
    "internal_error",
  ]),
  message: z.string().max(1_000),
  retryable: z.boolean(),
});

const fromRunner = z.discriminatedUnion("type", [
  z.object({ type: z.literal("started") }),
  z.object({ type: z.literal("loaded"), modelId: z.string(), loadMs: z.number() }),
  z.object({ type: z.literal("text"), attemptId, text: z.string() }),
  z.object({
    type: z.literal("done"),
    attemptId,
    result: z.object({
      text: z.string(),
      finishReason: z.enum(["stop", "length"]),
      usage: z.object({ promptTokens: count, completionTokens: count }),
      timing: z.object({ prefillMs: z.number(), generateMs: z.number() }),
    }),
  }),
  z.object({ type: z.literal("failed"), attemptId, error: jobError }),
  z.object({ type: z.literal("aborted"), attemptId }),
  z.object({ type: z.literal("unloaded") }),
]);

/** Null when it is no message of the protocol. */
export function parseToRunner(message: unknown): ToRunner | null {
  return toRunner.safeParse(message).data ?? null;
}

/** Null when it is no message of the protocol. */
export function parseFromRunner(message: unknown): FromRunner | null {
  return fromRunner.safeParse(message).data ?? null;
}
