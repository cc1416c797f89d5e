import type { JSONValue } from "convex/values";
import type { Engine, ScanOrder } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import { assertNever } from "../../values/assert-never.ts";
import { keyFieldsOf } from "../../values/keys/index-fields.ts";
import { fullRange, type KeyRange, type RangeExpression, toKeyRange } from "../../values/keys/index-range.ts";
import type { QueryOperator } from "../execution/query-stream.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import { compileFilter } from "./filter-expression.ts";
import { requireReadable, tableFor } from "./table-access.ts";

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
    | { readonly type: "Search"; readonly indexName: string };
  readonly operators: readonly ({ readonly filter: JSONValue } | { readonly limit: number })[];
};

/** The range that a query scans; absent if the table does not exist yet. */
export type QueryPlan = {
  readonly range: KeyRange;
  readonly order: ScanOrder;
  readonly operators: readonly QueryOperator[];
};

/** Plans a query over the engine's indexes. Throws a SyscallError if it cannot be run. */
export function planQuery(
  engine: Engine,
  component: ComponentPath,
  { source, operators }: SerializedQuery,
): QueryPlan {
  const steps = operators.map(toOperator);
  switch (source.type) {
    case "FullTableScan":
      requireReadable(source.tableName);
      return {
        range: fullRange(tableFor(component, source.tableName), "by_creation_time"),
        order: source.order ?? "asc",
        operators: steps,
      };
    case "IndexRange":
      return {
        range: indexRange(engine, component, source.indexName, source.range),
        order: source.order ?? "asc",
        operators: steps,
      };
    case "Search":
      throw new SyscallError(`Search indexes are not in the embedded backend yet: ${source.indexName}`);
    default:
      return assertNever(source);
  }
}

function indexRange(
  engine: Engine,
  component: ComponentPath,
  indexName: string,
  range: readonly RangeExpression[],
): KeyRange {
  const dot = indexName.indexOf(".");
  const [table, index] = [indexName.slice(0, dot), indexName.slice(dot + 1)];
  requireReadable(table);
  const stored = tableFor(component, table);
  const keyFields = keyFieldsOf(engine.definitionOf(stored), index);
  if (keyFields === null) throw new SyscallError(`Index ${indexName} not found.`);
  // Errors use the component's name for the table.
  return { ...toKeyRange({ table, index, keyFields }, range), table: stored };
}

function toOperator(operator: SerializedQuery["operators"][number]): QueryOperator {
  return "limit" in operator
    ? { kind: "limit", count: operator.limit }
    : { kind: "filter", accepts: compileFilter(operator.filter) };
}
