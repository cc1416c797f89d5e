import fc from "fast-check";
import * as z from "zod";
import { hostileJson, hostileNumber, hostileText } from "./hostile.ts";
import type { Json } from "./target.ts";

/** A Convex validator as JSON, as far as values are made from it. */
type Validator =
  | { readonly type: "null" | "number" | "bigint" | "boolean" | "string" | "bytes" | "any" }
  | { readonly type: "literal"; readonly value: Json }
  | { readonly type: "id"; readonly tableName: string }
  | { readonly type: "array"; readonly value: Validator }
  | { readonly type: "union"; readonly value: readonly Validator[] }
  | { readonly type: "record"; readonly keys: Validator; readonly values: { readonly fieldType: Validator } }
  | {
      readonly type: "object";
      readonly value: {
        readonly [field: string]: { readonly fieldType: Validator; readonly optional: boolean };
      };
    };

const simple = z.object({ type: z.enum(["null", "number", "bigint", "boolean", "string", "bytes", "any"]) });
export const validator: z.ZodType<Validator> = z.lazy(() =>
  z.union([
    simple,
    z.object({ type: z.literal("literal"), value: z.json() }),
    z.object({ type: z.literal("id"), tableName: z.string() }),
    z.object({ type: z.literal("array"), value: validator }),
    z.object({ type: z.literal("union"), value: z.array(validator) }),
    z.object({ type: z.literal("record"), keys: validator, values: z.object({ fieldType: validator }) }),
    z.object({
      type: z.literal("object"),
      value: z.record(z.string(), z.object({ fieldType: validator, optional: z.boolean() })),
    }),
  ]),
);

/** Values that make a call likely to pass: `texts` for any text, `ids` for ids of any table. */
type Plausible = { readonly texts: readonly string[]; readonly ids: readonly string[] };

/** Values of Convex's JSON that fit a validator, with hostile contents. */
export function fitting(shape: Validator, plausible: Plausible): fc.Arbitrary<Json> {
  const of = (inner: Validator): fc.Arbitrary<Json> => fitting(inner, plausible);
  switch (shape.type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "number":
      return fc.oneof(hostileNumber, specialNumber);
    case "bigint":
      return fc
        .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
        .map((value) => ({ $integer: packed(value) }));
    case "string":
      return fc.oneof(fc.constantFrom(...plausible.texts), hostileText.filter(isWellFormed));
    case "bytes":
      return fc
        .uint8Array({ maxLength: 40 })
        .map((bytes) => ({ $bytes: Buffer.from(bytes).toString("base64") }));
    case "any":
      return hostileJson;
    case "literal":
      return fc.constant(shape.value);
    case "id":
      return fc.oneof(fc.constantFrom(...plausible.ids), hostileText.filter(isWellFormed));
    case "array":
      return fc.array(of(shape.value), { maxLength: 5 });
    case "union":
      return fc.oneof(...shape.value.map(of));
    case "record":
      return fc.dictionary(fc.string({ maxLength: 20 }), of(shape.values.fieldType), { maxKeys: 4 });
    case "object": {
      const fields = Object.entries(shape.value);
      return fc.record(Object.fromEntries(fields.map(([name, { fieldType }]) => [name, of(fieldType)])), {
        requiredKeys: fields.filter(([, { optional }]) => !optional).map(([name]) => name),
      });
    }
  }
}

function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

const specialNumber = fc
  .constantFrom(NaN, Infinity, -Infinity, -0)
  .map((value): Json => ({ $float: Buffer.from(new Float64Array([value]).buffer).toString("base64") }));

function packed(value: bigint): string {
  return Buffer.from(new BigInt64Array([value]).buffer).toString("base64");
}
