import type { JobError } from "../jobs/chat.ts";
import type { Work, WorkResult } from "../jobs/work.ts";

/** A model file that the runner may open: only after its SHA-256 was found to be this one. */
export type ModelFile = {
  readonly modelId: string;
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly contextTokens: number;
  /** The chat template (Jinja) that the organization set in place of the file's own. */
  readonly template?: string | undefined;
};

/** What llama.cpp computes with. */
export type Backend = "cpu" | "cuda" | "vulkan" | "metal";

/** How a model is to be loaded. Two plans that differ in anything but `threads`, `spareBytes` and `measure` are two loads. */
export type LoadPlan = {
  readonly threads: number;
  /** Of each sequence. */
  readonly contextTokens: number;
  /** Jobs that one context holds at once. */
  readonly sequences: number;
  /** Tried in this order; the CPU is always there in the end. */
  readonly backends: readonly Backend[];
  /** "auto": as many as there is memory free for when it is loaded. */
  readonly gpuLayers: number | "auto";
  /**
   * What is left beside all that, in bytes: for a context in which a model that was not made for embeddings reads texts
   * whose vectors are asked for. Without it that is counted already.
   */
  readonly spareBytes?: number | undefined;
  /** Its speed is not known here: measure it, shortly, once it is loaded. */
  readonly measure?: boolean;
};

/** One attempt at a job, as the runner is asked for it. */
export type RunnerJob = {
  readonly attemptId: string;
  readonly model: ModelFile;
  readonly work: Work;
  readonly plan: LoadPlan;
};

/** What a model was loaded with. `loadMs` is 0 where it was in memory already. */
export type LoadReport = {
  readonly modelId: string;
  readonly loadMs: number;
  readonly backend: Backend;
  readonly gpuLayers: number;
  readonly contextTokens: number;
  readonly sequences: number;
  /** What was tried before `backend`, and why it was not to be had. */
  readonly passedOver: readonly { readonly backend: Backend; readonly why: string }[];
};

/** Tokens per second that a model makes here, one job at a time. */
export type Speed = { readonly prefill: number; readonly generate: number };

/** What a model's file says of the memory that it takes. Bytes; on the CPU alone. */
export type ModelFigures = {
  /** Of the weights. */
  readonly modelBytes: number;
  /** Of a context of one sequence, whatever its length, and of each token in it. */
  readonly contextBytes: number;
  readonly tokenBytes: number;
  /** The same of the context beside it in which a model that was made for embeddings reads texts; 0 for other models. */
  readonly embeddingBytes: number;
  readonly embeddingTokenBytes: number;
  /** The longest context that it was trained for. */
  readonly trainedTokens: number;
  readonly layers: number;
};

/** Donor → runner. The runner is a process of its own that can be killed at any moment. */
export type ToRunner =
  /** Several may be under way: the runner does those of one model side by side, and others after them. */
  | ({ readonly type: "run" } & RunnerJob)
  | { readonly type: "abort"; readonly attemptId: string }
  /** For what runs and for what comes: at most so many threads, and this share of the time (0 to 1; at 0 it stands still). */
  | { readonly type: "limit"; readonly threads: number; readonly dutyCycle: number }
  /** Reads the head of a model's file, without loading it. */
  | { readonly type: "inspect"; readonly model: ModelFile };

/** Runner → donor. After `run` exactly one of done, failed, aborted follows for that attempt. */
export type FromRunner =
  | { readonly type: "started" }
  | ({ readonly type: "loaded"; readonly attemptId: string } & LoadReport)
  | { readonly type: "text"; readonly attemptId: string; readonly text: string }
  /** After a load, and with runs that were long enough to tell. */
  | ({ readonly type: "measured"; readonly attemptId: string; readonly backend: Backend } & Speed)
  | { readonly type: "done"; readonly attemptId: string; readonly result: WorkResult }
  | { readonly type: "failed"; readonly attemptId: string; readonly error: JobError }
  | { readonly type: "aborted"; readonly attemptId: string }
  /** Null: nothing that llama.cpp can run. */
  | { readonly type: "inspected"; readonly sha256: string; readonly figures: ModelFigures | null };
