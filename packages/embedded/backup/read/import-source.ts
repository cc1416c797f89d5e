import type { Readable } from "node:stream";
import type { JSONValue } from "convex/values";
import type { ComponentPath } from "../../names/table-name.ts";

export type Row = { readonly line: number; readonly value: JSONValue };

/** One table of what is imported. `rows` may be read again and again. */
export type SourceTable = {
  readonly component: ComponentPath;
  readonly table: string;
  /** What errors call it. */
  readonly file: string;
  readonly rows: () => AsyncIterable<Row>;
};

export type SourceFile = {
  readonly component: ComponentPath;
  /** Of the `_storage` document. */
  readonly id: string;
  readonly open: () => Promise<Readable>;
};

/** An uploaded file, opened. Its readers throw ImportFailure. */
export type ImportSource = {
  readonly tables: readonly SourceTable[];
  readonly files: readonly SourceFile[];
  readonly close: () => void;
};

export type ImportFormat = "zip" | "jsonLines" | "jsonArray" | "csv";
