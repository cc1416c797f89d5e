import type { Value } from "convex/values";
import type { Work } from "../../../app/jobs/work.ts";
import type { Doc } from "../../_generated/dataModel.js";

/**
 * Whether the request refutes a device's claim that the job can never be done: an error with this code is not the request's.
 * If it does not, another device still has to say the same.
 */
export function isRefuted(
  code: string,
  { most, promptTokens = Infinity, vectors }: Pick<Doc<"orders">, "most" | "promptTokens" | "vectors">,
  payload: Value,
): boolean {
  switch (code) {
    case "context_length_exceeded":
      // An embedding job's bound allows the whole context for each input.
      return promptTokens < most.promptTokens / (vectors ?? 1);
    case "invalid_grammar":
      return !hasGrammar(payload as unknown as Work["request"] | null);
    case "result_too_large":
      return vectors === undefined;
    default:
      // An older program may not know a field of the request. All other errors are about the device, not about the job.
      return code !== "internal_error";
  }
}

function hasGrammar(request: Work["request"] | null): boolean {
  if (request === null || "inputs" in request) return false;
  return request.format !== undefined || ("messages" in request && request.tools !== undefined);
}
