import * as z from "zod";
import { recordOf } from "../../json.ts";
import { type RuleName, ruleNames, ruleOf } from "../../policy/rules.ts";
import { type ManagedField, managedFieldNames, managedFields, managedFile } from "../managed-settings.ts";
import { none } from "../without-none.ts";

/** The JSON Schema of managed.json. Jamf and editors make a form of it, with these titles and descriptions. */
export function managedSchema(): Readonly<Record<string, unknown>> {
  const schema = z.toJSONSchema(managedFile, {
    io: "input",
    // A form cannot enter null, and a property list has none.
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === "null") Object.assign(jsonSchema, { type: "string", const: none });
    },
  });
  const properties = recordOf(schema.properties);
  const rules = recordOf(properties["rules"]);
  return {
    title: "Gleaner",
    description: "The settings of Gleaner on a computer. Its user cannot change them.",
    ...schema,
    properties: {
      ...described(managedFieldNames, properties, wordsOfField),
      rules: {
        ...rules,
        title: "Rules",
        description: "Rules that are left out are those of the organization's console.",
        properties: described(ruleNames, recordOf(rules["properties"]), wordsOfRule),
      },
    },
  };
}

type Words = { readonly title: string; readonly description: string };

function described<Name extends string>(
  names: readonly Name[],
  properties: Readonly<Record<string, unknown>>,
  words: (name: Name) => Words,
): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { ...words(name), ...recordOf(properties[name]) }]));
}

function wordsOfField(name: ManagedField): Words {
  const { title, hint } = managedFields[name];
  return { title, description: hint };
}

function wordsOfRule(name: RuleName): Words {
  const { title, hint } = ruleOf(name);
  return { title, description: hint };
}
