import type { Readable } from "node:stream";
import type { JSONValue } from "convex/values";
import type { ComponentPath } from "../../names/table-name.ts";

export type Row = { readonly line: number; readonly value: JSONValue };

/** One table of an import. `rows` may be read repeatedly. */
export type SourceTable = {
  readonly component: ComponentPath;
  readonly table: string;
  /** Name to use in errors. */
  readonly file: string;
  readonly rows: () => AsyncIterable<Row>;
};

export type SourceFile = {
  readonly component: ComponentPath;
  /** Id of the `_storage` document. */
  readonly id: string;
  readonly open: () => Promise<Readable>;
};

/** An opened upload. Its readers throw ImportFailure. */
export type ImportSource = {
  readonly tables: readonly SourceTable[];
  readonly files: readonly SourceFile[];
  readonly close: () => void;
};

export type ImportFormat = "zip" | "jsonLines" | "jsonArray" | "csv";
