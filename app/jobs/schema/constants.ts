import { allowsConstant, schemaLimits } from "./keywords.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The constants of a schema that its type and lengths allow, as `const` or `enum`. Null if it has none that a grammar can write. */
export function constantsOf(schema: Schema): Schema | null {
  const given: unknown = "const" in schema ? [schema["const"]] : schema["enum"];
  if (!Array.isArray(given)) return null;
  const allowed = new Set(
    (given as readonly unknown[]).filter((value) => isWritable(value) && allowsConstant(schema, value)),
  );
  if (allowed.size === 0 || allowed.size > schemaLimits.nodes) return null;
  const all = [...allowed];
  return all.length === 1 ? { const: all[0] } : { enum: all };
}

/** No list or object, and no text with control characters or half a surrogate pair. */
function isWritable(value: unknown): boolean {
  if (typeof value === "string") return !/[\p{Cc}\p{Surrogate}]/u.test(value);
  return value === null || typeof value === "boolean" || Number.isFinite(value);
}
