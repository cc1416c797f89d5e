import type { Value } from "convex/values";

/** The language of random programs. Every part is a Convex value and is passed as one. */

export type Table = "items" | "strict";

/** A reference to a document or job created so far, modulo their number. A text is used as the id itself. */
export type Ref = number | string;

/** A value, the creation time of a document, or, if empty, undefined. */
export type Operand = { v: Value } | { creationTimeOf: Ref } | Record<string, never>;

export type Comparison = "eq" | "gt" | "gte" | "lt" | "lte";
export type Bound = { field: string; is: Comparison; to: Operand };

export type Expression =
  | { field: string }
  | { literal: Operand }
  | { compare: Comparison | "neq"; left: Expression; right: Expression }
  | { calculate: "add" | "sub" | "mul" | "div" | "mod"; left: Expression; right: Expression }
  | { and: Expression[] }
  | { or: Expression[] }
  | { not: Expression }
  | { negative: Expression };

export type QuerySpec = {
  table: Table;
  index: string | null;
  bounds: Bound[];
  order: "asc" | "desc" | null;
  filters: Expression[];
};

export type Operation =
  | { do: "insert"; table: Table; value: Record<string, Value> }
  | { do: "get"; ref: Ref; table: Table | null }
  | { do: "patch"; ref: Ref; value: Record<string, Value>; unset: string[] }
  | { do: "replace"; ref: Ref; value: Record<string, Value> }
  | { do: "delete"; ref: Ref; table: Table | null }
  | { do: "query"; query: QuerySpec; take: "all" | "first" | "unique" | number }
  | { do: "normalizeId"; table: Table; id: Ref }
  | { do: "nested"; kind: "query" | "mutation"; operations: Operation[]; caught: boolean }
  | { do: "checked"; args: Record<string, Value>; returned: Value }
  | { do: "schedule"; delayMs: number; at: boolean; args: Record<string, Value> }
  | { do: "cancel"; ref: Ref }
  | { do: "scheduled"; ref: Ref }
  | { do: "echo"; value: Value }
  | { do: "fail"; with: { data: Value } | { message: string } };

/** The result of one operation. */
export type Result = { value: Value } | { error: { message: string; data?: Value } };

/** The results of one function, and its created documents and jobs for later references. */
export type Ran = Known & { results: Result[] };

/** Ids of documents with their creation times, and ids of scheduled jobs, in the order of their creation. */
export type Known = { created: string[]; times: number[]; scheduled: string[] };
