import type { ChatRequest, ChatResult, JobError } from "../jobs/chat.ts";

/** A model file that the runner may open: only after its SHA-256 was found to be this one. */
export type ModelFile = {
  readonly modelId: string;
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly contextTokens: number;
};

/** Donor → runner. The runner is a process of its own that can be killed at any moment. */
export type ToRunner =
  | {
      readonly type: "run";
      readonly attemptId: string;
      readonly model: ModelFile;
      readonly request: ChatRequest;
      readonly threads: number;
    }
  | { readonly type: "abort"; readonly attemptId: string }
  | { readonly type: "unload" };

/** Runner → donor. After `run` exactly one of done, failed, aborted follows for that attempt. */
export type FromRunner =
  | { readonly type: "started" }
  | { readonly type: "loaded"; readonly modelId: string; readonly loadMs: number }
  | { readonly type: "text"; readonly attemptId: string; readonly text: string }
  | { readonly type: "done"; readonly attemptId: string; readonly result: ChatResult }
  | { readonly type: "failed"; readonly attemptId: string; readonly error: JobError }
  | { readonly type: "aborted"; readonly attemptId: string }
  | { readonly type: "unloaded" };
