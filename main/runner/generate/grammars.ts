import type { GbnfJsonSchema, Llama, LlamaGrammar } from "node-llama-cpp";
import { parseSchema } from "../../../app/jobs/json-schema.ts";
import type { AnswerFormat } from "../../../app/jobs/sampling.ts";

export type Enforced = {
  readonly grammar: LlamaGrammar;
  /** What the grammar lets follow a whole answer, and is no part of it. */
  readonly stopTexts: readonly string[];
  /** Blanks at the end say nothing. */
  readonly trimEnd: boolean;
};

/** Null where llama.cpp cannot make one of it. Everything was bounded where the job came in. */
export async function grammarOf(llama: Llama, format: AnswerFormat): Promise<Enforced | null> {
  try {
    switch (format.kind) {
      case "json":
        return await json(llama, '{"type":"object","additionalProperties":true}');
      case "json-schema":
        return await json(llama, format.schema);
      case "grammar":
        return {
          grammar: await llama.createGrammar({ grammar: format.grammar }),
          stopTexts: [],
          trimEnd: false,
        };
    }
  } catch {
    return null;
  }
}

/** The library's own grammar of a schema ends in line breaks, for models that do not end by themselves. */
async function json(llama: Llama, text: string): Promise<Enforced | null> {
  const parsed = parseSchema(JSON.parse(text));
  if (parsed.kind === "refused") return null;
  const grammar = await llama.createGrammarForJsonSchema(
    parsed.schema as Readonly<GbnfJsonSchema> & { const: null },
  );
  const integers = await llama.createGrammar({ grammar: withoutExponents(grammar.grammar) });
  return { grammar: integers, stopTexts: ["\n\n\n\n"], trimEnd: true };
}

/** The library lets an integer have an exponent, and with it be none: 1e-3. */
function withoutExponents(grammar: string): string {
  return grammar.replace(
    /^integer-number-rule ::= .*$/m,
    'integer-number-rule ::= "-"? ("0" | [1-9] [0-9]{0,15})',
  );
}
