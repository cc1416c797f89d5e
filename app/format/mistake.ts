import type * as z from "zod";

const types: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** Names the types of which a value must have one: "must be text or a list". */
export function mustBe(expected: readonly string[]): string {
  return `must be ${listed(expected.map((type) => types[type] ?? type))}`;
}

/**
 * Says about a value that zod refuses which values are accepted, in words that follow the name of the field. Pass it to
 * `safeParse` as `error`. It never quotes the value. A schema's own words come first.
 */
export const mistakeInWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      // JSON text can hold 1e999.
      return typeof issue.input === "number" && issue.expected === "number"
        ? "must be a finite number"
        : mustBe([issue.expected]);
    case "invalid_value":
      return `must be ${listed(issue.values.map((value) => (typeof value === "string" ? JSON.stringify(value) : String(value))))}`;
    case "too_big":
      return boundInWords("at most", issue.origin, issue.maximum);
    case "too_small":
      return issue.minimum === 1 && (issue.origin === "string" || issue.origin === "array")
        ? "must not be empty"
        : boundInWords("at least", issue.origin, issue.minimum);
    case "not_multiple_of":
      return `must be a multiple of ${String(issue.divisor)}`;
    case "invalid_key":
    case "invalid_element":
      return issue.issues[0]?.message ?? "is not accepted";
    case "unrecognized_keys":
      return "has a field that is not supported";
    case "invalid_union":
      return "has none of the accepted forms";
    default:
      return "does not have the accepted form";
  }
};

function boundInWords(word: string, origin: string, bound: number | bigint): string {
  switch (origin) {
    case "string":
      return `must have ${word} ${String(bound)} ${Number(bound) === 1 ? "character" : "characters"}`;
    case "array":
      return `must have ${word} ${String(bound)} ${Number(bound) === 1 ? "entry" : "entries"}`;
    default:
      return `must be ${word} ${String(bound)}`;
  }
}

function listed(words: readonly string[]): string {
  const all = [...new Set(words)];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} or ${all.at(-1) ?? ""}`;
}
