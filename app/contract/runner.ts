import * as z from "zod";
import { readingCosts } from "../jobs/answers/reading-costs.ts";
import { finishReasons, type JobError, jobErrorCodes } from "../jobs/chat.ts";
import { limits } from "../jobs/limits.ts";
import { cacheOwner, parseWork } from "../jobs/payload/payload.ts";
import type { StreamItem } from "../jobs/stream-item.ts";
import type { Work, WorkResult } from "../jobs/work.ts";
import { sha256 } from "../models/catalog-entry.ts";
import { parseReplay, type ReplayRequest, type ReplayResult, replayResult } from "../trust/replay.ts";
import { confinement } from "./confinement.ts";
import { internalError } from "./job-errors.ts";
import { backend, measuredSpeed } from "./speed.ts";

/**
 * The protocol between the donor and its runner, the process that holds llama.cpp and may be killed at any moment.
 * Both sides parse what they receive by these schemas. All types of the protocol are inferred from them.
 */

const attemptId = z.string().min(1).max(200);
const count = z.number().int().min(0);
const amount = z.number().min(0);
const threads = z.number().int().min(1).max(256);
const contextTokens = z
  .number()
  .int()
  .min(1)
  .max(2 ** 24);

/** A model file. The runner opens it only after it has checked the SHA-256. */
export type ModelFile = z.infer<typeof modelFile>;
const modelFile = z
  .object({
    modelId: z.string(),
    path: z.string(),
    sha256,
    sizeBytes: z.number().int().positive(),
    contextTokens,
    /** The chat template (Jinja) that the organization set in place of the file's own. */
    template: z.string().max(65_536).optional(),
  })
  .readonly();

const layerCount = z.number().int().min(0).max(10_000);

/** Layers on the GPU: as many as fit into its free memory at load time, up to `most`. A load with fewer than `least` fails. */
const gpuLayerRange = z.object({ least: layerCount, most: layerCount }).readonly();

/** The plan for loading a model. A change of anything but `threads`, `spareBytes` and `measure` needs a new load. */
export type LoadPlan = z.infer<typeof loadPlan>;
const loadPlan = z
  .object({
    threads,
    /** For each sequence. */
    contextTokens,
    /** Jobs that the context holds at once. */
    sequences: z.number().int().min(1).max(64),
    /** Tried in this order. The CPU is not tried unless it is named: the model may fit only into a GPU's memory. */
    backends: z.array(backend).min(1).max(4).readonly(),
    gpuLayers: z.union([gpuLayerRange, z.literal("auto")]),
    /**
     * Memory left beside the model, in bytes. A model that was not made for embeddings may use it for a context in which
     * it computes vectors. Absent: that context is already counted.
     */
    spareBytes: amount.optional(),
    /** The model's speed here is unknown: measure it briefly after the load. */
    measure: z.boolean().optional(),
  })
  .readonly();

/** A replay checks the answer of another device. Requesters cannot ask for one. */
export type RunnerWork = Work | { readonly kind: "replay"; readonly request: ReplayRequest };

/** Null if a device must not accept it. */
export function parseRunnerWork(kind: string, request: unknown): RunnerWork | null {
  if (kind !== "replay") return parseWork(kind, request);
  const replay = parseReplay(request);
  return replay === null ? null : { kind, request: replay };
}

const work = z
  .object({ kind: z.string(), request: z.unknown() })
  .transform(({ kind, request }, context): RunnerWork => {
    const parsed = parseRunnerWork(kind, request);
    if (parsed !== null) return parsed;
    context.addIssue({ code: "custom", message: "is no job of this kind" });
    return z.NEVER;
  });

/** One attempt at a job, as the donor sends it. */
export type RunnerJob = z.infer<typeof runnerJob>;
const runnerJob = z
  .object({
    attemptId,
    /** In the queue: all attempts at the job share it. Absent for a measurement, which calls no tools. */
    jobId: attemptId.optional(),
    model: modelFile,
    work,
    plan: loadPlan,
    cacheOwner: cacheOwner.optional(),
  })
  .readonly();

/** How a model was loaded. */
export type LoadReport = z.infer<typeof loadReport>;
const loadReport = z
  .object({
    modelId: z.string(),
    /** 0 if the model was in memory already. */
    loadMs: amount,
    backend,
    gpuLayers: count,
    contextTokens: count,
    sequences: count,
    /** Backends that were tried before `backend`, and why each was not available. */
    passedOver: z
      .array(z.object({ backend, why: z.string().max(200) }).readonly())
      .max(4)
      .readonly(),
  })
  .readonly();

/** The memory, in bytes, that the weights take with this many layers on a GPU. */
const gpuStep = z.object({ layers: count, ramBytes: amount, vramBytes: amount }).readonly();

/** The memory that a model takes on the CPU, in bytes, estimated from the head of its file. */
export type ModelFigures = z.infer<typeof modelFigures>;
export const modelFigures = z
  .object({
    /** Of the weights. */
    modelBytes: amount,
    /** Of a context with one sequence: a fixed part, and a part for each token. */
    contextBytes: amount,
    tokenBytes: amount,
    /** The same for the second context in which an embedding model reads texts; 0 for other models. */
    embeddingBytes: amount,
    embeddingTokenBytes: amount,
    /** The longest context that the model was trained for. */
    trainedTokens: count,
    layers: count,
    /** How the model is split with a GPU. Absent in files of earlier versions. */
    gpu: z
      .object({
        /** From few layers to all. */
        steps: z.array(gpuStep).min(1).max(64).readonly(),
        /** Of a context, as above. A GPU reads prompts in larger slices, so its buffers are larger. */
        contextBytes: amount,
        tokenBytes: amount,
      })
      .readonly()
      .optional(),
  })
  .readonly();

const jobError = z
  .object({
    code: z.enum(jobErrorCodes),
    message: z.string().max(1_000),
    retryable: z.boolean(),
  })
  .readonly() satisfies z.ZodType<JobError>;

/** A runner that breaks these bounds is broken: its parent drops the message. */
const text = z.string().max(limits.resultBytes);
const tokenLogprob = { token: z.string().max(10_000), logprob: z.number() };

const tokenChoice = z.object({
  ...tokenLogprob,
  top: z.array(z.object(tokenLogprob)).max(limits.logprobs),
});

const streamItem: z.ZodType<StreamItem> = z.union([
  z.object({ token: tokenChoice }).readonly(),
  z.object({ call: z.object({ id: text, name: text }) }).readonly(),
  z.object({ arguments: text }).readonly(),
]);

const textResult = z
  .object({
    text,
    finishReason: z.enum(finishReasons),
    stopText: text.exactOptional(),
    toolCalls: z
      .array(z.object({ id: text, name: text, arguments: text }))
      .max(limits.toolCalls)
      .exactOptional(),
    logprobs: z.array(tokenChoice).max(limits.maxTokens).exactOptional(),
    written: text.exactOptional(),
    usage: z.object({
      promptTokens: count,
      completionTokens: count,
      cachedPromptTokens: count.exactOptional(),
    }),
    timing: z.object({ prefillMs: amount, generateMs: amount }),
  })
  .readonly();

const embeddingResult = z
  .object({
    embeddings: z.array(text).max(limits.embeddingInputs),
    ...readingCosts,
  })
  .readonly();

const tokensResult = z.object({ tokenIds: text, ...readingCosts }).readonly();

export type RunnerResult = WorkResult | ReplayResult;
const runnerResult: z.ZodType<RunnerResult> = z.union([
  textResult,
  embeddingResult,
  tokensResult,
  replayResult,
]);

/**
 * The steps of a job in which its request alone can block or crash the process: its template is filled and its text
 * tokenized; its grammar is made; its prompt is read; a token that fits its grammar is chosen; the answer is compared with the
 * patterns of its schema; its texts are embedded.
 */
export const requestSteps = ["prompt", "grammar", "prefill", "sample", "check", "embed"] as const;
export type RequestStep = (typeof requestSteps)[number];

/** A load under way. The backend is null while the file is verified. */
export type ModelLoad = z.infer<typeof modelLoad>;
const modelLoad = z.object({ sha256, backend: backend.nullable() }).readonly();

/** How an attempt ends. */
export type RunOutcome = z.infer<typeof runOutcome>;
const runOutcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), result: runnerResult }).readonly(),
  z.object({ kind: z.literal("failed"), error: jobError }).readonly(),
  z.object({ kind: z.literal("aborted") }).readonly(),
]);

/** Donor → runner. */
export type ToRunner = z.infer<typeof toRunner>;
const toRunner = z.discriminatedUnion("type", [
  /** Several may run at once: jobs of one model side by side, jobs of other models after them. */
  z.object({ type: z.literal("run"), job: runnerJob }).readonly(),
  z.object({ type: z.literal("abort"), attemptId }).readonly(),
  /** For current and later jobs: the most threads, and the share of time to work. At a share of 0 all work pauses. */
  z.object({ type: z.literal("limit"), threads, dutyCycle: z.number().min(0).max(1) }).readonly(),
  /** Read the head of a model's file, without loading the model. */
  z.object({ type: z.literal("inspect"), model: modelFile }).readonly(),
  /** Read the counter of the graphics cards' energy. */
  z.object({ type: z.literal("readEnergy") }).readonly(),
]);

/** Runner → donor. Each `run` is followed by exactly one `ended`. */
export type FromRunner = z.infer<typeof fromRunner>;
const fromRunner = z.discriminatedUnion("type", [
  /** The first message. Only now does the process read messages. `confinement`: how far the system is out of its reach. */
  z.object({ type: z.literal("started"), confinement }).readonly(),
  z.object({ type: z.literal("loaded"), attemptId, report: loadReport }).readonly(),
  /**
   * The next piece of an answer. An empty one shows that the process is alive. `items`: what belongs to the text, or follows it.
   * `tokens`: about as many were written for it, since tokens that share a character count as one.
   */
  z
    .object({
      type: z.literal("text"),
      attemptId,
      text,
      items: z.array(streamItem).max(limits.maxTokens).readonly().exactOptional(),
      tokens: count.optional(),
    })
    .readonly(),
  /**
   * Sent before the step, so that the donor knows the culprit if the process dies or falls silent in it. `sample` is sent
   * only when it takes long. Null: the attempt is at none of these steps.
   */
  z.object({ type: z.literal("step"), attemptId, step: z.enum(requestSteps).nullable() }).readonly(),
  /** The load that is under way; null: it has ended. It may outlast the job that began it. */
  z.object({ type: z.literal("loading"), load: modelLoad.nullable() }).readonly(),
  /** After a load, and after a job that was long enough to measure. */
  z.object({ type: z.literal("measured"), attemptId, speed: measuredSpeed }).readonly(),
  z.object({ type: z.literal("ended"), attemptId, outcome: runOutcome }).readonly(),
  /** Null: llama.cpp cannot run this file. */
  z.object({ type: z.literal("inspected"), sha256, figures: modelFigures.nullable() }).readonly(),
  /** The energy that the graphics cards have used; joules since some moment. Null: there is no counter. */
  z.object({ type: z.literal("energy"), joules: amount.nullable() }).readonly(),
]);

/** Null if it is no message of the protocol. */
export function parseToRunner(message: unknown): ToRunner | null {
  return toRunner.safeParse(message).data ?? null;
}

/** Null if it is no message of the protocol. An end with an unreadable outcome is a failure, so that nobody waits for it. */
export function parseFromRunner(message: unknown): FromRunner | null {
  return fromRunner.safeParse(message).data ?? brokenEnd.safeParse(message).data ?? null;
}

const brokenEnd = z.object({ type: z.literal("ended"), attemptId }).transform(({ attemptId }): FromRunner => {
  const error = internalError("answering", new TypeError());
  return { type: "ended", attemptId, outcome: { kind: "failed", error } };
});

const brokenRun = z.object({ type: z.literal("run"), job: z.object({ attemptId }) });

/** The attempt of a `run` that cannot be parsed as a whole. It has to be answered. Null for other messages. */
export function attemptOfBrokenRun(message: unknown): string | null {
  return brokenRun.safeParse(message).data?.job.attemptId ?? null;
}

/** A part of an answer that is being written. `tokens`: about as many were written for it. */
export type AnswerPiece = {
  readonly text: string;
  readonly items: readonly StreamItem[];
  readonly tokens: number;
};

/** Receives what an attempt reports before it ends. */
export type RunEvents = {
  readonly loaded: (report: LoadReport) => void;
  readonly text: (piece: AnswerPiece) => void;
  readonly measured: (speed: z.infer<typeof measuredSpeed>) => void;
};
