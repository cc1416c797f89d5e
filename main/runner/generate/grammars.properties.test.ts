import fc from "fast-check";
import { getLlama } from "node-llama-cpp";
import { expect, it } from "vitest";
import { grammarCost } from "../../../app/jobs/grammar/cost.ts";
import { grammarRules } from "../../../app/jobs/grammar/gbnf.ts";
import { schemaRules } from "../../../app/jobs/grammar/schema-rules.ts";
import { parseSchema } from "../../../app/jobs/schema/json-schema.ts";
import { grammarOf } from "./grammars.ts";

const length = fc.integer({ min: 0, max: 60 });
const names = fc.constantFrom("a", "b", "a long name", '"', "ä");
const { schema } = fc.letrec<{ schema: object; inner: object }>((tie) => ({
  inner: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom({ type: "string" }, { type: "number" }, { type: "integer" }, { $ref: "#/$defs/d" }),
    fc.record(
      { type: fc.constant("string"), minLength: length, maxLength: length },
      { requiredKeys: ["type"] },
    ),
    fc.constantFrom({ type: "string", format: "date-time" }, { type: ["null", "boolean", "number"] }),
    fc
      .array(fc.oneof(fc.string({ maxLength: 20 }).filter(isWellFormed), fc.integer()), {
        minLength: 1,
        maxLength: 9,
      })
      .map((all) => ({ enum: all })),
    fc.array(tie("inner"), { minLength: 1, maxLength: 4 }).map((all) => ({ anyOf: all })),
    fc
      .record(
        {
          properties: fc.dictionary(names, tie("inner"), { maxKeys: 4 }),
          additionalProperties: fc.oneof(fc.boolean(), tie("inner")),
          minProperties: length,
          maxProperties: length,
        },
        { requiredKeys: [] },
      )
      .map((rest) => ({ type: "object", ...rest })),
    fc
      .record(
        {
          items: tie("inner"),
          prefixItems: fc.array(tie("inner"), { minLength: 1, maxLength: 3 }),
          minItems: length,
          maxItems: length,
        },
        { requiredKeys: [] },
      )
      .map((rest) => ({ type: "array", ...rest })),
  ),
  schema: fc.tuple(tie("inner"), tie("inner")).map(([top, d]) => ({ oneOf: [top], $defs: { d } })),
}));

function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

it("a schema costs llama.cpp no more than was counted", async () => {
  const llama = await getLlama({ gpu: false, build: "never" });
  await fc.assert(
    fc.asyncProperty(schema, async (given) => {
      const parsed = parseSchema(given);
      fc.pre(parsed.kind === "ok");
      const format = { kind: "json-schema", schema: JSON.stringify(parsed.schema) } as const;
      const enforced = await grammarOf(llama, format);
      if (enforced === null) throw new Error("no grammar");
      const counted = grammarCost(schemaRules(parsed.schema));
      const real = grammarCost(grammarRules(enforced.grammar.grammar));
      expect(counted.stacks).toBeGreaterThanOrEqual(real.stacks);
      expect(counted.elements).toBeGreaterThanOrEqual(real.elements);
    }),
    { seed: 12, numRuns: 300 },
  );
  await llama.dispose();
});
