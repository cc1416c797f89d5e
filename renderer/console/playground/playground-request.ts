import { locale } from "../../../app/format/locale.ts";
import { plainNumber } from "../../../app/format/typed-number.ts";
import { isRecord, parseJson } from "../../../app/json.ts";

export type Mode = "chat" | "completion" | "embedding";
export type Format = "text" | "json" | "schema" | "tools";

/** The page's form, as typed. Numbers that are left empty are not sent, so the API's own defaults count. */
export type PlaygroundForm = {
  readonly mode: Mode;
  readonly system: string;
  /** The message, the prompt, or the inputs of an embedding, one a line. */
  readonly text: string;
  readonly format: Format;
  readonly schema: string;
  readonly tools: string;
  readonly stream: boolean;
  readonly temperature: string;
  readonly maxTokens: string;
  readonly topP: string;
  readonly seed: string;
  /** One a line. */
  readonly stop: string;
};

export type Turn = { readonly role: "user" | "assistant"; readonly content: string };

/** A call of the API: its path below `/v1`, and its body. */
export type ApiCall = {
  readonly path: "chat/completions" | "completions" | "embeddings";
  readonly body: Readonly<Record<string, unknown>>;
};

export type NumberField = "temperature" | "maxTokens" | "topP" | "seed";
export type FormProblems = Readonly<Partial<Record<NumberField | "text" | "schema" | "tools", string>>>;

export type PlaygroundRequest =
  | { readonly kind: "ok"; readonly call: ApiCall }
  | { readonly kind: "wrong"; readonly problems: FormProblems };

const exampleSchema = {
  type: "object",
  properties: { name: { type: "string" }, city: { type: "string" } },
  required: ["name", "city"],
  additionalProperties: false,
};

const exampleTools = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "Tells the weather of a city.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

export const emptyForm: PlaygroundForm = {
  mode: "chat",
  system: "",
  text: "",
  format: "text",
  schema: JSON.stringify(exampleSchema, null, 2),
  tools: JSON.stringify(exampleTools, null, 2),
  stream: true,
  temperature: "",
  maxTokens: "",
  topP: "",
  seed: "",
  stop: "",
};

/** The bounds that the API has, too, and the names of its fields. */
const numbers: Readonly<Record<NumberField, { name: string; least: number; most: number; whole: boolean }>> =
  {
    temperature: { name: "temperature", least: 0, most: 2, whole: false },
    maxTokens: { name: "max_tokens", least: 1, most: 32_768, whole: true },
    topP: { name: "top_p", least: 0, most: 1, whole: false },
    seed: { name: "seed", least: 0, most: 2 ** 31 - 1, whole: true },
  };

/** The API call that the form describes, or an error for each field that is wrong. `turns`: the conversation so far. */
export function requestOf(
  form: PlaygroundForm,
  model: string,
  turns: readonly Turn[] = [],
): PlaygroundRequest {
  const problems: Record<string, string> = {};
  if (form.text.trim() === "") problems["text"] = "Enter a text.";
  if (form.mode === "embedding") {
    if (Object.keys(problems).length > 0) return { kind: "wrong", problems };
    return { kind: "ok", call: { path: "embeddings", body: { model, input: linesOf(form.text) } } };
  }
  const sampling: Record<string, unknown> = {};
  for (const [field, bounds] of Object.entries(numbers)) {
    const typed = plainNumber(form[field as NumberField]);
    if (typed === "") continue;
    const value = Number(typed);
    const fits = value >= bounds.least && value <= bounds.most && (!bounds.whole || Number.isInteger(value));
    if (fits) sampling[bounds.name] = value;
    else
      problems[field] = bounds.whole
        ? `Enter a whole number from ${String(bounds.least)} to ${bounds.most.toLocaleString(locale)}.`
        : `Enter a number from ${String(bounds.least)} to ${bounds.most.toLocaleString(locale)}.`;
  }
  const formatted = formatOf(form);
  if (formatted.kind === "wrong") problems[formatted.field] = formatted.why;
  if (Object.keys(problems).length > 0 || formatted.kind === "wrong") return { kind: "wrong", problems };
  const stop = linesOf(form.stop);
  const options = {
    ...sampling,
    ...(stop.length === 0 ? {} : { stop }),
    ...formatted.fields,
    ...(form.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
  if (form.mode === "completion")
    return { kind: "ok", call: { path: "completions", body: { model, prompt: form.text, ...options } } };
  const system = form.system.trim() === "" ? [] : [{ role: "system", content: form.system }];
  const messages = [...system, ...turns, { role: "user", content: form.text }];
  return { kind: "ok", call: { path: "chat/completions", body: { model, messages, ...options } } };
}

type FormatFields =
  | { readonly kind: "ok"; readonly fields: object }
  | { readonly kind: "wrong"; readonly field: "schema" | "tools"; readonly why: string };

function formatOf({ mode, format, schema, tools }: PlaygroundForm): FormatFields {
  if (format === "json") return { kind: "ok", fields: { response_format: { type: "json_object" } } };
  if (format === "schema") {
    const parsed = parseJson(schema);
    if (!isRecord(parsed)) return { kind: "wrong", field: "schema", why: "Enter a JSON schema: an object." };
    const named = { type: "json_schema", json_schema: { name: "answer", schema: parsed } };
    return { kind: "ok", fields: { response_format: named } };
  }
  if (format === "tools" && mode === "chat") {
    const parsed = parseJson(tools);
    if (!Array.isArray(parsed)) return { kind: "wrong", field: "tools", why: "Enter a JSON list of tools." };
    return { kind: "ok", fields: { tools: parsed } };
  }
  return { kind: "ok", fields: {} };
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
