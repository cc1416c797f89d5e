import type * as z from "zod";

/** Faults of one message that are described. */
const describedFaults = 5;
/** Names of fields may come from outside. */
const maxNameLength = 100;

const types: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  array: "an array",
  object: "an object",
  record: "an object",
};

/** Parses what a client sent. The reason of a refusal names the fields and says which values are accepted. */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
):
  | { readonly kind: "ok"; readonly value: z.output<Schema> }
  | { readonly kind: "invalid"; readonly reason: string } {
  const parsed = schema.safeParse(value, { error: fault });
  if (parsed.success) return { kind: "ok", value: parsed.data };
  const faults = parsed.error.issues.slice(0, describedFaults).map(({ path, message }) => {
    const name = path.map(String).join(".").slice(0, maxNameLength);
    return `${name === "" ? "the message" : name} ${message}`;
  });
  return { kind: "invalid", reason: faults.join("; ") };
}

const fault: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${types[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(String(value))).join(" or ")}`;
    case "too_big":
      return `must ${bound(issue.origin, "at most", issue.maximum)}`;
    case "too_small":
      return `must ${bound(issue.origin, "at least", issue.minimum)}`;
    case "invalid_union":
      return issue.discriminator === undefined ? "has none of the accepted forms" : "is unknown";
    default:
      return "does not have the accepted form";
  }
};

function bound(origin: string, word: string, limit: number | bigint): string {
  const end = Number(limit) === 1 ? "" : "s";
  if (origin === "string") return `have ${word} ${String(limit)} character${end}`;
  return origin === "array" ? `have ${word} ${String(limit)} element${end}` : `be ${word} ${String(limit)}`;
}
