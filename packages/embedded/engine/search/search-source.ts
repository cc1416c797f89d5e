import type { Key } from "../../values/keys/key.ts";
import type { TextStatistics } from "./bm25.ts";
import type { KeyBounds } from "./search-keys.ts";

/** A search in steps. Between them others may run: the search sees its snapshot only. */
export type SearchSteps<Result> = Generator<undefined, Result>;

/** A key of a search index, and the id of its document. */
export type FoundKey = { readonly key: Key; readonly id: string };

/** A search index as of a transaction, with the transaction's own writes. */
export interface SearchSource {
  /** Reads keys in order, a page at each step. */
  pages(bounds: KeyBounds): Iterable<readonly FoundKey[]>;
  statistics(): SearchSteps<TextStatistics>;
}
