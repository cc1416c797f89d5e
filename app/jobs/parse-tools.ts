import { z } from "zod";
import type { ChatTool, ToolChoice } from "./chat.ts";
import { parseSchema, schemaLimits } from "./json-schema.ts";
import { limits } from "./limits.ts";
import { listOf, text } from "./parse-body.ts";

/** Parses and bounds OpenAI's fields about tools and schemas. */

/** A JSON schema, kept as text. */
export const jsonSchema = z.unknown().transform((value, context): string => {
  const parsed = parseSchema(value);
  if (parsed.kind === "refused") {
    const { path, reason } = parsed;
    context.addIssue({ code: "custom", path: path === "" ? [] : [path], message: reason });
    return z.NEVER;
  }
  const json = JSON.stringify(parsed.schema);
  if (json.length <= schemaLimits.bytes) return json;
  context.addIssue({ code: "custom", message: `has more than ${String(schemaLimits.bytes)} characters` });
  return z.NEVER;
});

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "must have 1 to 64 of a-z, A-Z, 0-9, _ and -");
export const callId = text.min(1).max(limits.callIdChars);
const functionOnly = z.literal("function", { error: 'only "function" is supported' });

export const tools = listOf(
  z.object({
    type: functionOnly,
    function: z.object({
      name,
      description: text.max(limits.toolDescriptionChars).nullish(),
      parameters: jsonSchema.nullish(),
    }),
  }),
  { most: limits.tools },
);

export const toolChoice = z.union([
  z.enum(["none", "auto", "required"], {
    error: 'must be "none", "auto", "required" or an object with a function',
  }),
  z.object({ type: functionOnly, function: z.object({ name }) }),
]);

export const toolCalls = listOf(
  z.object({
    id: callId,
    type: functionOnly,
    function: z.object({ name, arguments: text.max(limits.promptBytes) }),
  }),
  { most: limits.toolCalls },
);

export function toChatTool({ function: asked }: z.infer<typeof tools>[number]): ChatTool {
  const { description, parameters } = asked;
  return {
    name: asked.name,
    ...(description == null ? {} : { description }),
    ...(parameters == null ? {} : { parameters }),
  };
}

export function toToolChoice(asked: z.infer<typeof toolChoice>): ToolChoice {
  return typeof asked === "string" ? asked : { name: asked.function.name };
}
