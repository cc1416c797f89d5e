import type { Value } from "convex/values";
import { hasChecks } from "../../../app/jobs/answers/answer-checks.ts";
import { asksForTokens, type TextWork, type Work } from "../../../app/jobs/work.ts";
import type { Doc } from "../../_generated/dataModel.js";

/**
 * Whether the request refutes a device's claim that the job can never be done. It does not for an error that such a request
 * can have. Then another device has to say the same, unless there is none. All other errors are about the device: the job is
 * tried again, also by the only device, and becomes a dead letter only after as many failures as any job.
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
    case "schema_not_met": {
      const request = payload as unknown as Work["request"] | null;
      return request === null || !isForText(request) || !hasChecks(request);
    }
    case "wrong_dimensions": {
      const request = payload as unknown as Work["request"] | null;
      return request === null || !("inputs" in request) || request.dimensions === undefined;
    }
    case "result_too_large": {
      const request = payload as unknown as Work["request"] | null;
      return vectors === undefined && (request === null || !asksForTokens(request));
    }
    case "wrong_tokens":
      return !hasTokenIds(payload as unknown as Work["request"] | null);
    default:
      return true;
  }
}

function hasTokenIds(request: Work["request"] | null): boolean {
  if (request === null) return false;
  if ("prompt" in request) return typeof request.prompt !== "string";
  return "inputs" in request && request.inputs.some((input) => typeof input !== "string");
}

function isForText(request: Work["request"]): request is TextWork["request"] {
  return "messages" in request || "prompt" in request;
}

/** Whether the answer has to follow a grammar, a schema or the schemas of tools. */
export function hasGrammar(request: Work["request"] | null): boolean {
  if (request === null || !isForText(request)) return false;
  return request.format !== undefined || ("messages" in request && request.tools !== undefined);
}
