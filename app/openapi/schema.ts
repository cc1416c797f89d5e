import * as z from "zod";
import { documentedAs, type RequestBody } from "../jobs/parse/parse-body.ts";

/** A JSON schema, as far as this folder reads and writes it. */
export type Schema = { [keyword: string]: unknown };

/** The JSON schema of the values that a schema of zod accepts. */
export function schemaOf(schema: z.ZodType): Schema {
  const { $schema: _draft, ...made } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const shown = documentedAs(zodSchema);
      if (shown === null) return;
      const unshown = Object.keys(jsonSchema).map((keyword) => [keyword, undefined] as const);
      Object.assign(jsonSchema, Object.fromEntries(unshown), schemaOf(shown));
    },
  });
  return made;
}

/** The JSON schema of a body, with the words and examples of its fields, and those that have no effect. */
export function bodySchema({ schema, fields }: RequestBody): Schema {
  const made = schemaOf(schema);
  const read = (made["properties"] ?? {}) as Readonly<Record<string, Schema>>;
  const properties = Object.entries(fields).map(([name, { words, example, support }]) => {
    const noEffect = support === "inert" ? "No effect: " : "";
    return [
      name,
      {
        ...read[name],
        description: `${noEffect}${plainWords(words)}`,
        ...(example == null ? {} : { examples: [example] }),
      },
    ];
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties) as Schema,
    ...("required" in made ? { required: made["required"] } : {}),
    additionalProperties: false,
  };
}

/** Words without their links to docs/api.md. */
export function plainWords(words: string): string {
  return words.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
}
