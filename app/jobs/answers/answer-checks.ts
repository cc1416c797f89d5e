import { isRecord, parseJson } from "../../json.ts";
import { callableTools, type ChatRequest, type ChatResult, type ToolCall } from "../chat.ts";
import type { Sampling } from "../sampling.ts";
import { needsCheck } from "../schema/checks.ts";
import { holdsSchema } from "./schema-check.ts";

/**
 * The checks of what a strict schema demands beyond the library's grammars. A device makes them, and writes the answer again if
 * it fails. Our own rules in the grammar make that rare. The backend makes the checks once more, except for patterns.
 */

type Asked = Pick<Sampling, "format"> & Pick<ChatRequest, "tools" | "toolChoice">;

/** How often a device writes an answer until one holds its schema. */
export const mostTries = 3;

/** Whether an answer may have to be written more than once. */
export function hasChecks({ format, ...asked }: Asked): boolean {
  const schemas = callableTools(asked).flatMap(({ parameters }) => parameters ?? []);
  return checksText({ format }) || schemas.some(needsCheck);
}

/** Whether a text, and not only a call, may have to be written more than once. Then nobody can read it along. */
export function checksText({ format }: { readonly format?: Asked["format"] | undefined }): boolean {
  return format?.kind === "json-schema" && needsCheck(format.schema);
}

/** The request for another try at an answer. Without chance, the model would write the same again. */
export function askedAgain<Request extends Sampling>(request: Request, tries: number): Request {
  if (tries === 0) return request;
  const { seed, temperature, topP, topK = 0, minP = 0 } = request;
  return {
    ...request,
    seed: (seed + tries) % 2 ** 31,
    temperature: Math.max(temperature, leastTemperature),
    topP: Math.max(topP, leastTopP),
    ...(topK > 0 && topK < leastTopK ? { topK: leastTopK } : {}),
    ...(minP > mostMinP ? { minP: mostMinP } : {}),
  };
}

const leastTemperature = 0.7;
const leastTopP = 0.9;
const leastTopK = 20;
const mostMinP = 0.1;

/** Whether an answer holds its schemas in every respect. One that was cut is given as it is. */
export function holdsChecks({ text, toolCalls = [], finishReason }: ChatResult, asked: Asked): boolean {
  const { format } = asked;
  if (finishReason === "tool_calls") return toolCalls.every((call) => holdsCall(call, asked));
  return finishReason !== "stop" || format?.kind !== "json-schema" || holds(format.schema, text);
}

/** Whether the arguments of a call hold the schema of its tool in every respect. */
export function holdsCall(
  { name, arguments: json }: Pick<ToolCall, "name" | "arguments">,
  { tools = [] }: Pick<ChatRequest, "tools">,
): boolean {
  const parameters = tools.find((tool) => tool.name === name)?.parameters;
  return parameters === undefined || holds(parameters, json);
}

/** A text that a stop string cut is no JSON, and true. */
function holds(schema: string, json: string): boolean {
  const [parsed, value] = [parseJson(schema), parseJson(json)];
  return value === undefined || !isRecord(parsed) || holdsSchema(parsed, value, { patterns: true });
}
