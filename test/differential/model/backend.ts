import type { Value } from "convex/values";
import type { NoteOperation, NoteResult, PageOptions, Source, VectorSearch } from "../convex/noteProgram.ts";

/** A page, or the kind of the error. Cursors are each backend's own texts. */
export type PageAnswer =
  | {
      readonly page: readonly Value[];
      readonly isDone: boolean;
      readonly continueCursor: string;
      readonly splitCursor: string | null;
      readonly pageStatus: string | null;
    }
  | { readonly error: string };

export type PageRequest = {
  readonly source: Source;
  readonly options: PageOptions & { readonly cursor: string | null; readonly endCursor: string | null };
};

export type Sent = { readonly client: number; readonly watch: number; readonly answer: PageAnswer };

/** The new results of watched pages. */
export type Settled = {
  readonly sent: readonly Sent[];
  /** How often a query has run for them; for the model, how often at most. */
  readonly runs: number;
};

/** The embedded backend, or the model of Convex. Both name documents by the order of their creation. */
export interface NotesBackend {
  /** Null: the function has failed. */
  write(operations: readonly NoteOperation[]): Promise<readonly NoteResult[] | null>;
  read(operations: readonly NoteOperation[]): Promise<readonly NoteResult[] | null>;
  /** Like `write`, but the function does not await its operations. Whether it has succeeded. */
  leave(operations: readonly NoteOperation[], rejects: boolean): Promise<boolean>;
  page(request: PageRequest): Promise<PageAnswer>;
  nearest(search: VectorSearch): Promise<readonly unknown[] | string>;
  watch(client: number, watch: number, request: PageRequest): void;
  unwatch(client: number, watch: number): void;
  settle(): Promise<Settled>;
  close(): Promise<void>;
}
