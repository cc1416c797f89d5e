import type { ToolCall } from "./chat.ts";
import type { TokenChoice } from "./sampling.ts";

/** A piece of an answer that a device streams beside its text. The pieces come in their order. */
export type StreamItem =
  /** The choice of the next token of the text. */
  | { readonly token: TokenChoice }
  /** A call of a tool begins. It comes after the text. */
  | { readonly call: Pick<ToolCall, "id" | "name"> }
  /** The next part of that call's arguments. */
  | { readonly arguments: string };

/** The id of a call. Another device that does the same job gives the same id, so that a stream can go on. */
export function callIdOf(jobId: string, index: number): string {
  return `call_${jobId}_${String(index)}`;
}
