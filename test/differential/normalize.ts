import type { Value } from "convex/values";
import type { Outcome } from "./backend.ts";
import type { Known } from "./convex/program.ts";

// Values that each backend chooses freely.
const ownChoice = new Set(["_creationTime", "times", "continueCursor", "splitCursor", "pageStatus"]);

/** Replaces ids by names in the order of their creation, and drops values that each backend chooses freely. */
export function normalized(outcome: Outcome, { created, scheduled }: Known): Outcome {
  const names = new Map<string, string>([
    ...created.map((id, n): [string, string] => [id, `document ${n}`]),
    ...scheduled.map((id, n): [string, string] => [id, `job ${n}`]),
  ]);
  const visit = (value: Value): Value => {
    if (typeof value === "string") return names.get(value) ?? value;
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null || value instanceof ArrayBuffer) return value;
    const entries = Object.entries(value).filter(([field]) => !ownChoice.has(field));
    return Object.fromEntries(entries.map(([field, each]) => [field, visit(each as Value)]));
  };
  if (outcome.kind === "value") return { kind: "value", value: errorsByKind(visit(outcome.value)) };
  return outcome.data !== undefined
    ? { kind: "error", message: "ConvexError", data: visit(outcome.data) }
    : { kind: "error", message: kindOfError(outcome.message) };
}

/** An operation's error within a result: `{error: {message, data}}`. */
function errorsByKind(value: Value): Value {
  if (Array.isArray(value)) return value.map(errorsByKind);
  if (typeof value !== "object" || value === null || value instanceof ArrayBuffer) return value;
  const { error } = value as { error?: { message?: unknown; data?: Value } };
  if (typeof error?.message === "string") {
    return { error: error.data === undefined ? kindOfError(error.message) : { data: error.data } };
  }
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, errorsByKind(each as Value)]),
  );
}

/** The kinds of errors, with the words of Convex, the embedded backend and convex-test. */
const kinds: readonly (readonly [string, RegExp])[] = [
  ["thrown", /thrown: \w+/],
  ["not unique", /unique\(\) query returned more than one result/],
  ["no such document", /on nonexistent document|on non-existent doc/],
  // convex-test has the same words for arguments, returned values and documents.
  ["validator", /ArgumentValidationError|ReturnsValidationError|does not match the schema|Validator error/],
  ["wrong id", /Invalid argument `(id|tableName)`|Unable to decode ID|is not the ID of a scheduled/],
  [
    "index range",
    /index range|Incorrect (field|operator) used in `withIndex`|use the index fields in order|doesn't index this field|single index field/,
  ],
  ["filter", /Cannot (use value|add|subtract|multiply|divide|mod|negate) /],
];

function kindOfError(message: string): string {
  for (const [kind, words] of kinds) {
    const found = words.exec(message);
    if (found !== null) return kind === "thrown" ? found[0] : kind;
  }
  return message;
}
