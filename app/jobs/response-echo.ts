import { canonicalJson } from "../signatures/canonical-json.ts";
import type { ChatRequest, ChatTool, ToolChoice } from "./chat.ts";
import type { AnswerFormat } from "./sampling.ts";

/*
 * A response of the Responses API repeats fields of its request. Most of them are in the job's payload. The others are kept beside it,
 * so that they are encrypted and deleted with it. Devices do not get them.
 */

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a request in the words of the API, which every answer repeats. */
export type ResponseEcho = {
  readonly instructions: string | null;
  readonly max_output_tokens: number | null;
  readonly temperature: number;
  readonly top_p: number;
  readonly tools: readonly Fields[];
  readonly tool_choice: unknown;
  readonly text: { readonly format: Fields };
  readonly parallel_tool_calls: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly background: boolean;
  readonly store: boolean;
};

/** The fields of an echo that the job's request does not have. `tools`: of each tool, in their order. */
type Kept = Partial<Omit<ResponseEcho, "tools" | "text">> & {
  readonly tools: readonly Fields[];
  readonly format: Fields;
};

/** Schemas that take more are repeated as devices get them, so that a payload stays within its bound. */
const mostKeptChars = 64 * 1024;

/** The part of an echo that the job's request does not tell, as JSON: Convex stores no key that begins with "$". */
export function keptEcho(echo: ResponseEcho, request: ChatRequest): string {
  const { tools: toldTools, text: toldText, ...told } = echoOfRequest(request);
  const { tools, text, ...asked } = echo;
  const kept = {
    ...changesOf(asked, told),
    tools: tools.map((tool, index) => changesOf(tool, toldTools[index] ?? {})),
    format: changesOf(text.format, toldText.format),
  };
  const json = JSON.stringify(kept);
  return json.length <= mostKeptChars ? json : JSON.stringify({ ...kept, tools: [], format: {} });
}

/** The echo of a stored request. @param kept what `keptEcho` returned for it. */
export function wholeEcho(kept: string, request: ChatRequest): ResponseEcho {
  const { tools, format, ...others } = JSON.parse(kept) as Kept;
  const told = echoOfRequest(request);
  return {
    ...told,
    ...others,
    tools: told.tools.map((tool, index) => ({ ...tool, ...tools[index] })),
    text: { format: { ...told.text.format, ...format } },
  };
}

/** The fields of a record that differ from those of another one. Null: only the other one has the field. */
function changesOf(record: Fields, other: Fields): Fields {
  const names = [...new Set([...Object.keys(record), ...Object.keys(other)])];
  return Object.fromEntries(
    names.filter((name) => !isEqual(record[name], other[name])).map((name) => [name, record[name] ?? null]),
  );
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

/** The fields that a job's request tells, as most requesters write them. */
function echoOfRequest(request: ChatRequest): ResponseEcho {
  const { messages, maxTokens, temperature, topP, tools = [], toolChoice = "auto", format } = request;
  const [first] = messages;
  return {
    instructions: first?.role === "system" ? first.content : null,
    max_output_tokens: maxTokens,
    temperature,
    top_p: topP,
    tools: tools.map(toolOf),
    tool_choice: choiceOf(toolChoice),
    text: { format: formatOf(format) },
    parallel_tool_calls: request.parallelToolCalls ?? true,
    metadata: {},
    background: false,
    store: true,
  };
}

function toolOf({ parameters, ...tool }: ChatTool): Fields {
  return {
    type: "function",
    ...tool,
    ...(parameters === undefined ? {} : { parameters: JSON.parse(parameters) as unknown }),
  };
}

function choiceOf(choice: ToolChoice): unknown {
  return typeof choice === "string" ? choice : { type: "function", name: choice.name };
}

function formatOf(format: AnswerFormat | undefined): Fields {
  if (format?.kind === "json") return { type: "json_object" };
  if (format?.kind === "json-schema") {
    return { type: "json_schema", schema: JSON.parse(format.schema) as unknown };
  }
  return { type: "text" };
}
