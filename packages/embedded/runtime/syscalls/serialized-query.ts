import type { JSONValue } from "convex/values";
import type { Engine, ScanOrder } from "../../engine/model/types.ts";
import type { TextQuery } from "../../engine/search/text-search.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import { assertNever } from "../../values/assert-never.ts";
import { isUndefinedJson } from "../../values/json-operand.ts";
import { keyFieldsOf, type TableDefinition } from "../../values/keys/index-fields.ts";
import { fullRange, type KeyRange, type RangeExpression, toKeyRange } from "../../values/keys/index-range.ts";
import { parseSearchFields, type SearchDefinition } from "../../values/keys/search-definition.ts";
import { formatValue } from "../checks/format-value.ts";
import type { Schema } from "../checks/schema.ts";
import type { QueryOperator } from "../execution/query-stream.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import { compileFilter } from "./filter-expression.ts";
import { planSearch, type SearchCondition } from "./search-query.ts";
import { readableTableFor } from "./table-access.ts";

/** A query of `ctx.db`, as the convex package serializes it. */
export type SerializedQuery = {
  readonly source:
    | { readonly type: "FullTableScan"; readonly tableName: string; readonly order: ScanOrder | null }
    | {
        readonly type: "IndexRange";
        readonly indexName: string;
        readonly range: readonly RangeExpression[];
        readonly order: ScanOrder | null;
      }
    | { readonly type: "Search"; readonly indexName: string; readonly filters: readonly SearchCondition[] };
  readonly operators: readonly ({ readonly filter: JSONValue } | { readonly limit: number })[];
};

/** The documents that a query reads, and its steps for each. */
export type QueryPlan = {
  /** The engine's name. The table may not exist yet. */
  readonly table: string;
  readonly source:
    | { readonly kind: "range"; readonly range: KeyRange; readonly order: ScanOrder }
    | { readonly kind: "search"; readonly index: string; readonly query: TextQuery };
  readonly operators: readonly QueryOperator[];
};

/** Plans a query over the engine's indexes. Throws a SyscallError if it cannot be run. */
export function planQuery(
  engine: Engine,
  schema: Pick<Schema, "staged">,
  component: ComponentPath,
  { source, operators }: SerializedQuery,
): QueryPlan {
  const steps = operators.map(toOperator);
  if (source.type === "FullTableScan") {
    const table = readableTableFor(component, source.tableName);
    const range = fullRange(table, "by_creation_time");
    return { table, source: { kind: "range", range, order: source.order ?? "asc" }, operators: steps };
  }
  const named = namedIndex(source.indexName);
  const table = readableTableFor(component, named.table);
  const definition = engine.definitionOf(table);
  switch (source.type) {
    case "IndexRange": {
      const keyFields = keyFieldsOf(definition, named.index);
      if (keyFields === null) throw unavailable(schema, source.indexName);
      if (searchOf(definition, named.index) !== null) {
        throw new SyscallError(`Index ${source.indexName} is not a database index`);
      }
      // Errors use the component's name for the table.
      const range = { ...toKeyRange({ ...named, keyFields, format: formatRangeValue }, source.range), table };
      return { table, source: { kind: "range", range, order: source.order ?? "asc" }, operators: steps };
    }
    case "Search": {
      if (keyFieldsOf(definition, named.index) === null) throw unavailable(schema, source.indexName);
      const search = searchOf(definition, named.index);
      if (search?.kind !== "text") throw new SyscallError(`Index ${source.indexName} is not a search index`);
      const query = planSearch(source.indexName, search, source.filters);
      return { table, source: { kind: "search", index: named.index, query }, operators: steps };
    }
    default:
      return assertNever(source);
  }
}

/** Splits "table.index". */
export function namedIndex(name: string): { readonly table: string; readonly index: string } {
  const dot = name.indexOf(".");
  return { table: name.slice(0, dot), index: name.slice(dot + 1) };
}

/** Null unless the table has a search index or a vector index of that name. */
export function searchOf(definition: TableDefinition | null, index: string): SearchDefinition | null {
  const declared = definition?.indexes.find(({ name }) => name === index);
  return declared === undefined ? null : parseSearchFields(declared.fields);
}

/** Why an index cannot be used. */
export function unavailable({ staged }: Pick<Schema, "staged">, name: string): SyscallError {
  return new SyscallError(
    staged.has(name)
      ? `Index ${name} is currently staged and not available to query until it is enabled.`
      : `Index ${name} not found.`,
  );
}

/** A missing field's value is no JSON of Convex. */
function formatRangeValue(value: JSONValue): string {
  return isUndefinedJson(value) ? "undefined" : formatValue(value);
}

function toOperator(operator: SerializedQuery["operators"][number]): QueryOperator {
  return "limit" in operator
    ? { kind: "limit", count: operator.limit }
    : { kind: "filter", accepts: compileFilter(operator.filter) };
}
