import type { Scan, ScanEntry, Transaction } from "../../engine/model/types.ts";
import type { SearchSteps } from "../../engine/search/search-source.ts";
import { mostTextMatches, type TextMatch, type TextQuery } from "../../engine/search/text-search.ts";
import { compareKeys, type Key } from "../../values/keys/key.ts";
import { SyscallError } from "./syscall-error.ts";
import { isTurnLong, nextTurn } from "./turn-clock.ts";

type Search = { readonly table: string; readonly index: string; readonly query: TextQuery };

/** Part of a search's results: after one key, up to and including another. */
export type MatchInterval = { readonly after: Key | null; readonly upTo: Key | null };

/** The documents that a search finds, best first. `prepare` must have resolved before the first one is read. */
export class SearchScan implements Scan {
  readonly #transaction: Transaction;
  readonly #search: Search;
  readonly #interval: MatchInterval;
  #matches: readonly TextMatch[] | null = null;
  #next = 0;

  constructor(transaction: Transaction, search: Search, interval: MatchInterval) {
    this.#transaction = transaction;
    this.#search = search;
    this.#interval = interval;
  }

  async prepare(): Promise<void> {
    if (this.#matches !== null) return;
    const { table, index, query } = this.#search;
    const { after, upTo } = this.#interval;
    const matches = await inSlices(this.#transaction.searchText(table, index, query));
    this.#matches = matches.filter(
      ({ key }) =>
        (after === null || compareKeys(key, after) > 0) && (upTo === null || compareKeys(key, upTo) <= 0),
    );
  }

  next(): ScanEntry | null {
    const matches = this.#matches ?? [];
    for (;;) {
      // The search finds no more, so there may be others.
      if (this.#next === mostTextMatches) {
        throw new SyscallError(
          `Search query scanned too many documents (fetched ${mostTextMatches}). Consider using a smaller limit, paginating the query, or using a filter field to limit the number of documents pulled from the search index.`,
        );
      }
      const match = matches[this.#next];
      if (match === undefined) return null;
      this.#next += 1;
      const document = this.#transaction.get(match.id);
      // A mutation may have removed it since the search.
      if (document !== null) return { key: match.key, document };
    }
  }
}

/** Runs a search and lets other work go first when it takes long. */
export async function inSlices<Result>(steps: SearchSteps<Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (isTurnLong()) await nextTurn();
  }
}
