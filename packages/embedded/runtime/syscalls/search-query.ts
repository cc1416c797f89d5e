import type { JSONValue } from "convex/values";
import { termsOf } from "../../engine/search/terms.ts";
import type { TextQuery } from "../../engine/search/text-search.ts";
import { decodeOperand } from "../../values/json-operand.ts";
import type { SearchDefinition } from "../../values/keys/search-definition.ts";
import { limits } from "../checks/limits.ts";
import { SyscallError } from "../execution/syscall-error.ts";

/** One condition of `withSearchIndex`, as the convex package serializes it. */
export type SearchCondition =
  | { readonly type: "Search"; readonly fieldPath: string; readonly value: string }
  | { readonly type: "Eq"; readonly fieldPath: string; readonly value: JSONValue };

/**
 * Plans a search in a text index. Throws a SyscallError in Convex's words if the conditions do not fit the index.
 * @param name "table.index"
 */
export function planSearch(
  name: string,
  { searchField, filterFields }: SearchDefinition & { kind: "text" },
  conditions: readonly SearchCondition[],
): TextQuery {
  const against = `Search query against ${name}`;
  let text: string | null = null;
  const filters: TextQuery["filters"][number][] = [];
  for (const condition of conditions) {
    const { fieldPath } = condition;
    if (condition.type === "Eq") {
      const at = filterFields.indexOf(fieldPath);
      if (at < 0) {
        throw new SyscallError(
          `${against} contains an equality filter on "${fieldPath}" but that field isn't indexed for filtering in \`filterFields\`.`,
        );
      }
      filters.push({ at, value: decodeOperand(condition.value) });
      continue;
    }
    if (fieldPath !== searchField) {
      throw new SyscallError(
        `${against} contains a search filter against "${fieldPath}", which doesn't match the indexed \`searchField\` "${searchField}".`,
      );
    }
    if (text !== null) {
      throw new SyscallError(
        `${against} contains multiple search filters against "${fieldPath}". Only one is allowed.`,
      );
    }
    if (typeof condition.value !== "string")
      throw new SyscallError(`${against} needs a string to search for.`);
    text = condition.value;
  }
  if (text === null) {
    throw new SyscallError(
      `${against} does not contain any search filters. You must include a search filter like \`q.search(""${searchField}"", searchText)\`.`,
    );
  }
  if (filters.length > limits.searchFilters) {
    throw new SyscallError(
      `${against} has too many filter conditions. Max: ${limits.searchFilters} Actual: ${filters.length}`,
    );
  }
  return { terms: firstTerms(text), filters };
}

function firstTerms(text: string): readonly string[] {
  const terms: string[] = [];
  for (const term of termsOf(text)) {
    if (terms.length === limits.searchTerms) break;
    terms.push(term);
  }
  return terms;
}
