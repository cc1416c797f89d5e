import type { JSONValue } from "convex/values";

export type ObjectField = { readonly fieldType: ValidatorJson; readonly optional: boolean };

/** A validator as the convex package exports it. */
export type ValidatorJson =
  | { readonly type: "null" | "number" | "bigint" | "commitTs" | "boolean" | "string" | "bytes" | "any" }
  | { readonly type: "literal"; readonly value: JSONValue }
  | { readonly type: "id"; readonly tableName: string }
  | { readonly type: "array"; readonly value: ValidatorJson }
  | { readonly type: "record"; readonly keys: ValidatorJson; readonly values: ObjectField }
  | { readonly type: "object"; readonly value: { readonly [field: string]: ObjectField } }
  | { readonly type: "union"; readonly value: readonly ValidatorJson[] };

/** Finds the table of an id; null if the string is not an id of this deployment. */
export type TableOf = (id: string) => string | null;
