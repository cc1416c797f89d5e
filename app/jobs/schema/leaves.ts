import { recordOf } from "../../json.ts";
import { costMistake } from "../grammar/cost.ts";
import { type JsonSchema, type OwnRules, schemaRules } from "../grammar/schema-rules.ts";
import type { Automaton } from "../patterns/automaton.ts";
import { numberAutomaton, type NumberRange } from "../patterns/numbers.ts";
import { RuleCollector } from "../patterns/rules.ts";
import { textAutomaton } from "../patterns/texts.ts";
import { Unenforceable, Work } from "../patterns/work.ts";
import { grammarSchema, isOfForm } from "./checks.ts";
import { numberBounds } from "./keywords.ts";
import { isCheckedFormat, writtenFormat } from "./text-formats.ts";

/**
 * The library's grammars know no patterns, few formats and no bounds of numbers. So our own rules enforce these, as far as
 * they are regular and small enough. Everything else is left to the check of the finished answer.
 */

/** The schema for the library, with a marker in each place of our own rules. */
export type GrammarPlan = OwnRules & { readonly schema: JsonSchema };

/** Rules of all parts of a schema together. llama.cpp takes one or two milliseconds more for each token then. */
const mostRules = 1_500;

/** Plans the grammar of a parsed schema. Equal schemas have equal plans, on each device. All its parts share the work. */
export function grammarPlan(schema: JsonSchema, work = new Work()): GrammarPlan {
  const collector = new RuleCollector();
  const markers = new Map<string, string>();
  const known = new Map<string, JsonSchema | null>();
  const prefix = prefixFor(schema);
  const marked = grammarSchema(schema, (part) => {
    const form = formOf(part);
    if (form === null) return null;
    const key = JSON.stringify(form);
    const before = known.get(key);
    if (before !== undefined) return before;
    const automaton = collector.rules.size < mostRules ? automatonFor(form, work) : null;
    if (automaton === null || collector.rules.size + automaton.length > mostRules) {
      known.set(key, null);
      return null;
    }
    const name = `leaf-${String(markers.size)}`;
    if (form.kind === "text") collector.addText(name, automaton);
    else collector.addPlain(name, automaton);
    const marker: JsonSchema = { const: prefix + name };
    markers.set(prefix + name, name);
    known.set(key, marker);
    return marker;
  });
  const plan = { schema: marked, markers, rules: collector.rules };
  const isTooLarge = markers.size > 0 && costMistake(schemaRules(marked, plan), "schema") !== null;
  return isTooLarge ? { schema: grammarSchema(schema), markers: new Map(), rules: new Map() } : plan;
}

/** A beginning of markers that no constant of a schema has. */
function prefixFor(schema: JsonSchema): string {
  const json = JSON.stringify(schema);
  let prefix = "marker-";
  while (json.includes(prefix)) prefix += "-";
  return prefix;
}

/** A part of a schema that our own rules may enforce. */
type Form =
  | {
      readonly kind: "text";
      readonly pattern: string | null;
      readonly format: string;
      readonly least: number;
      readonly most: number | null;
    }
  | { readonly kind: "number"; readonly isInteger: boolean; readonly bounds: JsonSchema };

function formOf(schema: JsonSchema): Form | null {
  const { type, pattern, format, minLength, maxLength } = schema;
  if (isOfForm(schema))
    return {
      kind: "text",
      pattern: typeof pattern === "string" ? pattern : null,
      format: String(format),
      least: Number(minLength ?? 0),
      most: maxLength === undefined ? null : Number(maxLength),
    };
  if (type !== "number" && type !== "integer") return null;
  const bounds = Object.entries(schema).filter(([keyword]) => numberBounds.has(keyword));
  if (bounds.length === 0) return null;
  return { kind: "number", isInteger: type === "integer", bounds: Object.fromEntries(bounds) };
}

/** Null if no text is of that form, or none of the ways to enforce it is small enough. */
function automatonFor(form: Form, work: Work): Automaton | null {
  const ways = form.kind === "text" ? textWays(form) : numberWays(form);
  for (const make of ways) {
    try {
      // So no way leaves nothing for the ways and parts after it.
      return work.withPart(1 / 2, make);
    } catch (error) {
      if (!(error instanceof Unenforceable)) throw error;
    }
  }
  return null;
}

type Ways = readonly ((work: Work) => Automaton | null)[];

/** All together if that is small enough, else without the lengths, or only a format. */
function textWays({ pattern, format, least, most }: Extract<Form, { kind: "text" }>): Ways {
  const ofPattern = pattern === null ? [] : [{ source: pattern, ignoresCase: false }];
  const written = writtenFormat(format);
  const ofFormat = written === undefined ? [] : [written];
  const lengths = { least, most: most ?? Infinity };
  const anyLength = { least: 0, most: Infinity };
  const both = [...ofPattern, ...ofFormat];
  const hasLengths = lengths.least > 0 || lengths.most < Infinity;
  return [
    (work) => textAutomaton({ patterns: both, ...lengths }, work),
    ...(hasLengths ? [(work: Work) => textAutomaton({ patterns: both, ...anyLength }, work)] : []),
    // Beside a pattern alone, the library enforces the lengths.
    ...(isCheckedFormat(format) && pattern !== null
      ? [(work: Work) => textAutomaton({ patterns: ofFormat, ...anyLength }, work)]
      : []),
  ];
}

/** With its divisor if that is small enough, else without. */
function numberWays({ isInteger, bounds }: Extract<Form, { kind: "number" }>): Ways {
  const range = rangeOf(bounds);
  const isBounded = range.least !== null || range.most !== null;
  return [
    (work) => numberAutomaton(range, isInteger, work),
    ...(isBounded && range.multipleOf !== null
      ? [(work: Work) => numberAutomaton({ ...range, multipleOf: null }, isInteger, work)]
      : []),
  ];
}

/** Of two bounds on a side, the stricter one. */
function rangeOf(bounds: JsonSchema): NumberRange {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = recordOf(bounds) as {
    readonly [keyword: string]: number | undefined;
  };
  const boundOf = (value: number | undefined, isExclusive: boolean) =>
    value === undefined ? [] : [{ value, isExclusive }];
  const [least = null] = [...boundOf(exclusiveMinimum, true), ...boundOf(minimum, false)].sort(
    (one, other) => other.value - one.value,
  );
  const [most = null] = [...boundOf(exclusiveMaximum, true), ...boundOf(maximum, false)].sort(
    (one, other) => one.value - other.value,
  );
  return { least, most, multipleOf: multipleOf ?? null };
}
