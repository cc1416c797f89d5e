import { z } from "zod";
import type { FromRunner, ToRunner } from "../../app/contract/runner.ts";
import { parseWork } from "../../app/jobs/payload.ts";
import type { Work, WorkResult } from "../../app/jobs/work.ts";

const attemptId = z.string().min(1).max(200);
const threads = z.number().int().min(1).max(256);
const tokens = z
  .number()
  .int()
  .min(1)
  .max(2 ** 24);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const backend = z.enum(["cpu", "cuda", "vulkan", "metal"]);

const model = z.object({
  modelId: z.string(),
  path: z.string(),
  sha256,
  sizeBytes: z.number().int().positive(),
  contextTokens: tokens,
  template: z.string().max(65_536).optional(),
});

const work = z
  .object({ kind: z.string(), request: z.unknown() })
  .transform(({ kind, request }, context): Work => {
    const parsed = parseWork(kind, request);
    if (parsed !== null) return parsed;
    context.addIssue({ code: "custom", message: "is no job of this kind" });
    return z.NEVER;
  });

const toRunner = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("run"),
    attemptId,
    model,
    work,
    plan: z.object({
      threads,
      contextTokens: tokens,
      sequences: z.number().int().min(1).max(64),
      backends: z.array(backend).max(4),
      gpuLayers: z.union([z.number().int().min(0).max(10_000), z.literal("auto")]),
      spareBytes: z.number().min(0).optional(),
      measure: z.boolean().default(false),
    }),
  }),
  z.object({ type: z.literal("abort"), attemptId }),
  z.object({ type: z.literal("limit"), threads, dutyCycle: z.number().min(0).max(1) }),
  z.object({ type: z.literal("inspect"), model }),
]);

const count = z.number().int().min(0);
const amount = z.number().min(0);

const jobError = z.object({
  code: z.enum([
    "context_length_exceeded",
    "invalid_grammar",
    "result_too_large",
    "model_unavailable",
    "model_corrupt",
    "model_unsuitable",
    "runner_crashed",
    "runner_timeout",
    "out_of_memory",
    "internal_error",
  ]),
  message: z.string().max(1_000),
  retryable: z.boolean(),
});

const logprob = { token: z.string(), logprob: z.number() };
const timing = z.object({ prefillMs: amount, generateMs: amount });

const answer = z.object({
  text: z.string(),
  finishReason: z.enum(["stop", "length", "tool_calls"]),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).optional(),
  logprobs: z.array(z.object({ ...logprob, top: z.array(z.object(logprob)) })).optional(),
  usage: z.object({ promptTokens: count, completionTokens: count, cachedPromptTokens: count.optional() }),
  timing,
});

const vectors = z.object({
  embeddings: z.array(z.string()),
  usage: z.object({ promptTokens: count, completionTokens: z.literal(0) }),
  timing: timing.extend({ generateMs: z.literal(0) }),
});

const fromRunner = z.discriminatedUnion("type", [
  z.object({ type: z.literal("started") }),
  z.object({
    type: z.literal("loaded"),
    attemptId,
    modelId: z.string(),
    loadMs: amount,
    backend,
    gpuLayers: count,
    contextTokens: count,
    sequences: count,
    passedOver: z.array(z.object({ backend, why: z.string().max(200) })).max(4),
  }),
  z.object({ type: z.literal("text"), attemptId, text: z.string() }),
  z.object({ type: z.literal("measured"), attemptId, backend, prefill: amount, generate: amount }),
  z.object({
    type: z.literal("done"),
    attemptId,
    // An object without the other's fields is the other's no more than this one's.
    result: z.union([answer, vectors]).transform((result) => result as WorkResult),
  }),
  z.object({ type: z.literal("failed"), attemptId, error: jobError }),
  z.object({ type: z.literal("aborted"), attemptId }),
  z.object({
    type: z.literal("inspected"),
    sha256,
    figures: z
      .object({
        modelBytes: amount,
        contextBytes: amount,
        tokenBytes: amount,
        embeddingBytes: amount,
        embeddingTokenBytes: amount,
        trainedTokens: count,
        layers: count,
      })
      .nullable(),
  }),
]);

/** Null when it is no message of the protocol. */
export function parseToRunner(message: unknown): ToRunner | null {
  return toRunner.safeParse(message).data ?? null;
}

/** Null when it is no message of the protocol. */
export function parseFromRunner(message: unknown): FromRunner | null {
  return fromRunner.safeParse(message).data ?? null;
}
