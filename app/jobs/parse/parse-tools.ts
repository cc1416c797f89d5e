import * as z from "zod";
import { wellFormed } from "../../format/well-formed.ts";
import { isRecord } from "../../json.ts";
import type { ChatTool, ToolChoice } from "../chat.ts";
import { limits } from "../limits.ts";
import { parseSchema } from "../schema/json-schema.ts";
import { type StepBudget, stepBudget } from "../schema/overlap.ts";
import { anyObject, relaxed, relaxedAnswer } from "../schema/relax.ts";
import { boundedList, text } from "./parse-body.ts";

/** Parses and bounds OpenAI's fields about tools and schemas. */

/** The schema of an answer, kept as text. As in OpenAI's API, one that is not strict promises nothing. */
export const answerSchema = z
  .object({ schema: z.unknown(), strict: z.boolean().nullish() })
  .transform((asked, context) => answerText(asked, context));

/** `z.NEVER` if the schema is refused, which is then an issue of the context. */
export function answerText(
  { schema, strict }: { readonly schema?: unknown; readonly strict?: boolean | null | undefined },
  context: Pick<z.RefinementCtx, "addIssue">,
): string {
  if (strict !== true && isRecord(schema)) return relaxedText(schema);
  return schemaText(schema, ["schema"], stepBudget(), context) ?? z.NEVER;
}

/** As much of a schema as can be enforced: any list or object, if nothing else can. */
function relaxedText(value: Readonly<Record<string, unknown>>): string {
  const exact = parseSchema(value);
  const parsed = exact.kind === "ok" ? exact : parseSchema(relaxedAnswer(value));
  const any = value["type"] === "array" ? { type: "array" } : anyObject;
  return JSON.stringify(parsed.kind === "ok" ? parsed.schema : any);
}

/** Null if the schema is refused, which is then an issue of the context. */
function schemaText(
  value: unknown,
  place: readonly PropertyKey[],
  budget: StepBudget,
  context: Pick<z.RefinementCtx, "addIssue">,
): string | null {
  const parsed = parseSchema(value, { budget, checked: true });
  if (parsed.kind === "ok") return JSON.stringify(parsed.schema);
  const { path, reason } = parsed;
  context.addIssue({ code: "custom", path: path === "" ? [...place] : [...place, path], message: reason });
  return null;
}

/** A tool that is not strict, with as much of its schema as can be enforced. Otherwise the model reads the schema as text. */
function relaxedTool(tool: ChatTool, value: unknown, budgets: RelaxedBudgets): ChatTool {
  const exact = parseSchema(value, { budget: budgets.exact });
  const parsed =
    exact.kind === "ok" ? exact : parseSchema(relaxed(value, budgets.relaxed), { budget: budgets.relaxed });
  if (parsed.kind === "ok") return { ...tool, parameters: JSON.stringify(parsed.schema) };
  const told = `${tool.description ?? ""}\nArguments: ${JSON.stringify(value)}`.trim();
  return {
    ...tool,
    description: wellFormed(told.slice(0, limits.toolDescriptionChars)),
    parameters: JSON.stringify(anyObject),
  };
}

/** All tools of a request share them. A schema that is too dear as it is may be cheap once it is relaxed. */
type RelaxedBudgets = { readonly exact: StepBudget; readonly relaxed: StepBudget };

export const functionName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, "must have 1 to 64 of a-z, A-Z, 0-9, _ and -");
export const callId = text.min(1).max(limits.callIdChars);
const functionOnly = z.literal("function", { error: 'only "function" is supported' });

/** The schemas of all tools share one budget. The first wrong one ends the parse. */
export const tools = boundedList(
  z.object({
    type: functionOnly,
    function: z.object({
      name: functionName,
      description: text.max(limits.toolDescriptionChars).nullish(),
      parameters: z.unknown().optional(),
      strict: z.boolean().nullish(),
    }),
  }),
  { most: limits.tools },
).transform((all, context): readonly ChatTool[] => {
  const budget = stepBudget();
  const budgets = { exact: stepBudget(), relaxed: stepBudget() };
  const parsed: ChatTool[] = [];
  for (const [index, { function: asked }] of all.entries()) {
    const tool = {
      name: asked.name,
      ...(asked.description == null ? {} : { description: asked.description }),
    };
    if (asked.parameters == null) {
      parsed.push(tool);
      continue;
    }
    if (asked.strict !== true) {
      parsed.push(relaxedTool(tool, asked.parameters, budgets));
      continue;
    }
    const parameters = schemaText(asked.parameters, [index, "function", "parameters"], budget, context);
    if (parameters === null) return z.NEVER;
    parsed.push({ ...tool, parameters });
  }
  return parsed;
});

export const toolChoice = z.union([
  z.enum(["none", "auto", "required"], {
    error: 'must be "none", "auto", "required" or an object with a function',
  }),
  z.object({ type: functionOnly, function: z.object({ name: functionName }) }),
]);

export const toolCalls = boundedList(
  z.object({
    id: callId,
    type: functionOnly,
    function: z.object({ name: functionName, arguments: text.max(limits.promptBytes) }),
  }),
  { most: limits.toolCalls },
);

export function toToolChoice(asked: z.infer<typeof toolChoice>): ToolChoice {
  return typeof asked === "string" ? asked : { name: asked.function.name };
}
