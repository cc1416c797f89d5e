import type { Value } from "convex/values";

/** The language of programs about notes. The reference model in ../model runs it, too. */

export type Fields = Record<string, Value>;

/** A note created so far, modulo their number; an id of a table that is not there; or a text that is no id. */
export type NoteRef = { created: number } | { stray: string } | { nonsense: string };

/** A condition on the topic. Without a value it must be absent. */
export type Topic = { value?: Value };

/** Notes by key, within bounds. */
export type Rows = {
  kind: "rows";
  atLeast: Value | null;
  below: Value | null;
  order: "asc" | "desc";
  topic: Topic | null;
};

/** Notes whose body has the words, best first. */
export type Search = { kind: "search"; text: string; topic: Topic | null };

export type Source = Rows | Search;

export type NoteOperation =
  | { do: "insert"; value: Fields }
  | { do: "patch"; ref: NoteRef; value: Fields; unset: string[] }
  | { do: "replace"; ref: NoteRef; value: Fields }
  | { do: "delete" | "get" | "normalizeId"; ref: NoteRef }
  | { do: "take"; source: Source; count: number | null }
  | {
      do: "nested";
      kind: "query" | "mutation";
      operations: NoteOperation[];
      fails: boolean;
      caught: boolean;
    };

export type PageOptions = { numItems: number; maximumRowsRead?: number; maximumBytesRead?: number };

export type VectorSearch = { vector: number[]; limit: number | null; any: Topic[] | null };

/** The results of one function, and the ids of its notes, rolled back or not. */
export type NotesRan = { results: NoteResult[]; created: string[] };
export type NoteResult = { value: Value } | { error: string };
