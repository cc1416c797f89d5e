import { schemaLimits } from "./keywords.ts";
import { isOfType } from "./overlap.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The constants of a schema that its type and lengths allow, as `const` or `enum`. Null if it has none that a grammar can write. */
export function constantsOf(schema: Schema): Schema | null {
  const { type, minLength, maxLength } = schema;
  const given: unknown = "const" in schema ? [schema["const"]] : schema["enum"];
  if (!Array.isArray(given)) return null;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const allowed = new Set(
    (given as readonly unknown[]).filter((value) => {
      if (!isWritable(value)) return false;
      if (type !== undefined && !types.some((each) => isOfType(value, each))) return false;
      if (typeof value !== "string") return true;
      const length = Array.from(value).length;
      return !(length < Number(minLength ?? 0)) && !(length > Number(maxLength ?? Infinity));
    }),
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
