import type { GbnfJsonSchema, Llama, LlamaGrammar } from "node-llama-cpp";
import { writtenRules } from "../../../app/jobs/grammar/write-gbnf.ts";
import type { AnswerFormat } from "../../../app/jobs/sampling.ts";
import type { GrammarPlan } from "../../../app/jobs/schema/leaves.ts";
import { planOfSchema } from "./plans.ts";

export type Enforced = {
  readonly grammar: LlamaGrammar;
  /** Text that the grammar allows after a complete answer, and that is not part of it. */
  readonly stopTexts: readonly string[];
  /** Whether to cut blanks at the end. */
  readonly trimEnd: boolean;
};

/** Null if llama.cpp cannot make a grammar of this format. Sizes were limited when the job was received. */
export async function grammarOf(llama: Llama, format: AnswerFormat): Promise<Enforced | null> {
  try {
    switch (format.kind) {
      case "json":
        return await schemaGrammar(llama, '{"type":"object","additionalProperties":true}');
      case "json-schema":
        return await schemaGrammar(llama, format.schema);
      case "grammar":
        return await plainGrammar(llama, format.grammar);
    }
  } catch {
    return null;
  }
}

/** The same, but the answer may also be one of these texts. */
export async function orTexts(
  llama: Llama,
  { grammar: { grammar, rootRuleName }, ...enforced }: Enforced,
  texts: readonly string[],
): Promise<Enforced> {
  let name = "answer-or-text";
  while (grammar.includes(name)) name += "-";
  const alternatives = [rootRuleName, ...texts.map((text) => JSON.stringify(text))].join(" | ");
  const either = await llama.createGrammar({
    grammar: `${grammar}\n${name} ::= ${alternatives}`,
    rootRuleName: name,
  });
  return { ...enforced, grammar: either };
}

/** Enforces a grammar in llama.cpp's syntax (GBNF). Throws if llama.cpp refuses it. */
export async function plainGrammar(llama: Llama, grammar: string): Promise<Enforced> {
  return { grammar: await llama.createGrammar({ grammar }), stopTexts: [], trimEnd: false };
}

/** The library's grammar of a schema ends with line breaks, for models that do not stop by themselves. */
async function schemaGrammar(llama: Llama, text: string): Promise<Enforced | null> {
  const plan = planOfSchema(text);
  if (plan === null) return null;
  const grammar = await llama.createGrammarForJsonSchema(
    plan.schema as Readonly<GbnfJsonSchema> & { const: null },
  );
  const strict = await llama.createGrammar({ grammar: withOwnRules(strictRules(grammar.grammar), plan) });
  return { grammar: strict, stopTexts: ["\n\n\n\n"], trimEnd: true };
}

const digits = '"-"? ("0" | [1-9] [0-9]{0,15})';
/**
 * Our rules instead of the library's. With an exponent, an integer may be none: 1e-3. Integers of 16 digits may be beyond those
 * that programs can read. A large exponent makes a number infinite. An escaped half of a character counts as a whole one, so a text would be too short.
 */
const stricterRules = new Map([
  ["integer-number-rule", '"-"? ("0" | [1-9] [0-9]{0,14})'],
  ["fractional-number-rule", `${digits} ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,2})?`],
  [
    "string-char-rule",
    String.raw`[^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" ([0-9a-cA-CefEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2}))`,
  ],
]);

function strictRules(grammar: string): string {
  return grammar.replace(/^([a-z-]+) ::= .*$/gm, (line: string, name: string) => {
    const rule = stricterRules.get(name);
    return rule === undefined ? line : `${name} ::= ${rule}`;
  });
}

/** Puts our own rules in the places of their markers, which the library has written as constants. */
function withOwnRules(grammar: string, { markers, rules }: GrammarPlan): string {
  let whole = grammar;
  for (const [marker, name] of markers) whole = whole.replaceAll(`"\\"${String(marker)}\\""`, name);
  return rules.size === 0 ? whole : `${whole}\n${writtenRules(rules)}`;
}

/** Finds the end of a JSON object or array in streamed text, so that nobody waits for the blanks after it. */
export class JsonEnd {
  #depth = 0;
  #begun = false;
  #inText = false;
  #escaped = false;

  /** Takes the next piece of text. Returns how much of it belongs to the value; null until the value is complete. */
  push(text: string): number | null {
    for (let at = 0; at < text.length; at += 1) {
      const sign = text[at];
      if (this.#escaped) this.#escaped = false;
      else if (this.#inText) {
        if (sign === "\\") this.#escaped = true;
        else if (sign === '"') this.#inText = false;
      } else if (sign === '"') this.#inText = true;
      else if (sign === "{" || sign === "[") {
        this.#depth += 1;
        this.#begun = true;
      } else if (sign === "}" || sign === "]") {
        this.#depth -= 1;
        if (this.#begun && this.#depth === 0) return at + 1;
      }
    }
    return null;
  }
}
