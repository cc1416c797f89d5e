import { allowsConstant, isWithin, schemaLimits } from "./keywords.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The constants of a schema that its type and bounds allow, as `const` or `enum`. Null if it has none that a grammar can write. */
export function constantsOf(schema: Schema): Schema | null {
  const given: unknown = "const" in schema ? [schema["const"]] : (schema["enum"] ?? integersOf(schema));
  if (!Array.isArray(given)) return null;
  const allowed = new Set(
    (given as readonly unknown[]).filter((value) => isWritable(value) && allowsConstant(schema, value)),
  );
  if (allowed.size === 0 || allowed.size > schemaLimits.constants) return null;
  const all = [...allowed];
  return all.length === 1 ? { const: all[0] } : { enum: all };
}

/** All integers that a schema allows, if they are few enough for a list. */
export function integersOf(schema: Schema): readonly number[] | null {
  if (schema["type"] !== "integer") return null;
  const first = Math.max(
    Math.ceil(bound(schema["minimum"])),
    Math.floor(bound(schema["exclusiveMinimum"])) + 1,
  );
  const last = Math.min(
    Math.floor(bound(schema["maximum"], Infinity)),
    Math.ceil(bound(schema["exclusiveMaximum"], Infinity)) - 1,
  );
  if (!(last - first < schemaLimits.listedIntegers)) return null;
  const all = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at + 0);
  return all.filter((value) => isWithin(schema, value));
}

function bound(value: unknown, none = -Infinity): number {
  return typeof value === "number" ? value : none;
}

/** No list or object, and no text with control characters or half a surrogate pair. */
function isWritable(value: unknown): boolean {
  if (typeof value === "string") return !/[\p{Cc}\p{Surrogate}]/u.test(value);
  return value === null || typeof value === "boolean" || Number.isFinite(value);
}
