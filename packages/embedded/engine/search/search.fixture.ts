import type { TableDefinition } from "../../values/keys/index-fields.ts";
import { searchIndexFields } from "../../values/keys/search-definition.ts";
import type { Transaction } from "../model/types.ts";
import type { SearchSteps } from "./search-source.ts";
import type { TextMatch, TextQuery } from "./text-search.ts";

/** A table of notes whose text can be searched, for any lane or one. */
export const notes: TableDefinition = {
  name: "notes",
  indexes: [
    {
      name: "search_text",
      fields: searchIndexFields({ kind: "text", searchField: "text", filterFields: ["lane", "place.city"] }),
    },
  ],
};

/** Runs a search without giving way. */
export function runSteps<Result>(steps: SearchSteps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export function search(
  transaction: Transaction,
  text: string,
  filters: TextQuery["filters"] = [],
): readonly TextMatch[] {
  const terms = text.split(" ").filter((term) => term !== "");
  return runSteps(transaction.searchText("notes", "search_text", { terms, filters }));
}

/** The texts of the matches, best first. */
export function texts(transaction: Transaction, text: string, filters: TextQuery["filters"] = []): unknown[] {
  return search(transaction, text, filters).map(({ id }) => transaction.get(id)?.["text"]);
}
