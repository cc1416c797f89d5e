import type { TextResult } from "./answerForm.ts";
import type { JobView } from "./follow.ts";

export type Result = NonNullable<JobView["result"]>;
type VectorResult = Extract<Result, { readonly embeddings: unknown }>;

/** The answer to a job that asked for text: no other is kept for it. */
export function textOf(result: Result): TextResult {
  if ("text" in result) return result;
  throw new Error("a job that asked for text has vectors");
}

/** The same for one that asked for vectors. */
export function vectorsOf(result: Result): VectorResult {
  if ("embeddings" in result) return result;
  throw new Error("a job that asked for vectors has text");
}
