/** The codes of metadata value types in a GGUF v3 file (ggml's gguf.md, `gguf_metadata_value_type`). */
export const valueTypeCodes = {
  u8: 0,
  u32: 4,
  i32: 5,
  f32: 6,
  bool: 7,
  string: 8,
  array: 9,
  u64: 10,
} as const;

export type ScalarValue =
  | { readonly type: "u8" | "u32" | "i32" | "f32"; readonly value: number }
  | { readonly type: "u64"; readonly value: bigint }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string };

/** All entries of an array have one type. */
type ArrayValue =
  | { readonly type: "array"; readonly of: "u8" | "u32" | "i32" | "f32"; readonly values: readonly number[] }
  | { readonly type: "array"; readonly of: "u64"; readonly values: readonly bigint[] }
  | { readonly type: "array"; readonly of: "bool"; readonly values: readonly boolean[] }
  | { readonly type: "array"; readonly of: "string"; readonly values: readonly string[] };

export type MetadataValue = ScalarValue | ArrayValue;

/** The order matters, because it is part of the file's bytes. */
export type Metadata = readonly (readonly [key: string, value: MetadataValue])[];

export const u32 = (value: number): ScalarValue => ({ type: "u32", value });
export const f32 = (value: number): ScalarValue => ({ type: "f32", value });
export const bool = (value: boolean): ScalarValue => ({ type: "bool", value });
export const text = (value: string): ScalarValue => ({ type: "string", value });
