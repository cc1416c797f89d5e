import type { JSONValue } from "convex/values";
import type { Engine } from "../../engine/model/types.ts";
import type { VectorQuery } from "../../engine/search/vector-search.ts";
import { decodeOperand } from "../../values/json-operand.ts";
import { encodeKey } from "../../values/keys/key-encoding.ts";
import type { SearchDefinition } from "../../values/keys/search-definition.ts";
import { limits } from "../checks/limits.ts";
import type { ActionExecution } from "../execution/execution.ts";
import { inSlices } from "../execution/search-scan.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import { namedIndex, searchOf, unavailable } from "./serialized-query.ts";
import type { Services } from "./services.ts";
import { invalidArg, objectArg, optionalCountArg, stringArg, type SyscallArgs } from "./syscall-args.ts";
import { readableTableFor } from "./table-access.ts";

type VectorDefinition = SearchDefinition & { kind: "vector" };
type Filters = VectorQuery["filters"];

const method = "vectorSearch";
const defaultLimit = 10;

/** `1.0/actions/vectorSearch`: searches the newest documents on disk. Like a query, it does not meet a deploy. */
export function vectorSearch(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  return services.gate.pass(() => searchNow(services, execution, args));
}

async function searchNow(
  { engine, schemaOf }: Services,
  { component }: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const query = objectArg(args, "query", method);
  const name = stringArg(query, "indexName", method);
  const { table, index } = namedIndex(name);
  const stored = readableTableFor(component, table);
  const declared = engine.definitionOf(stored)?.indexes.some((each) => each.name === index) ?? false;
  if (!declared) throw unavailable(schemaOf(component), name);
  const definition = searchOf(engine.definitionOf(stored), index);
  if (definition?.kind !== "vector") throw new SyscallError(`Index ${name} is not a vector index`);
  const matches = await search(engine, stored, index, planVectorSearch(name, definition, query));
  return { results: matches.map(({ id, score }) => ({ _id: id, _score: score })) };
}

async function search(engine: Engine, table: string, index: string, query: VectorQuery) {
  const transaction = engine.begin({ snapshot: engine.durable() });
  try {
    return await inSlices(transaction.searchVectors(table, index, query));
  } finally {
    engine.discard(transaction);
  }
}

/** Throws a SyscallError in Convex's words if the search does not fit the index. */
function planVectorSearch(
  name: string,
  { dimensions, filterFields }: VectorDefinition,
  query: SyscallArgs,
): VectorQuery {
  const { vector } = query;
  if (!Array.isArray(vector) || !vector.every((each) => typeof each === "number")) {
    throw invalidArg("vector", method, "expected an array of finite numbers");
  }
  const limit = optionalCountArg(query, "limit", method) ?? defaultLimit;
  if (limit > limits.vectorResults) {
    throw new SyscallError(
      `Vector queries can fetch at most ${limits.vectorResults} results, requested ${limit}.`,
    );
  }
  const filters = filtersOf(name, filterFields, query["expressions"] ?? null);
  if (filters.length > limits.vectorFilters) {
    throw new SyscallError(
      `Vector query against ${name} has too many conditions. Max: ${limits.vectorFilters} Actual: ${filters.length}`,
    );
  }
  if (vector.length !== dimensions) {
    throw new SyscallError(`Expected a vector with dimensions ${dimensions}, received ${vector.length}.`);
  }
  return { vector: Float32Array.from(vector), limit, filters };
}

/** The comparisons of a filter, of which one must hold. The same one twice counts once. */
function filtersOf(name: string, filterFields: readonly string[], expression: JSONValue): Filters {
  const filters = new Map<string, Filters[number]>();
  for (const { field, value } of expression === null ? [] : comparisonsOf(expression)) {
    const at = filterFields.indexOf(field);
    if (at < 0) {
      throw new SyscallError(
        `Vector query against ${name} contains a filter on "${field}" but that field isn't indexed for filtering in \`filterFields\`.`,
      );
    }
    const decoded = decodeOperand(value);
    filters.set(`${at} ${encodeKey([decoded])}`, { at, value: decoded });
  }
  return [...filters.values()];
}

type Comparison = { readonly field: string; readonly value: JSONValue };

function comparisonsOf(expression: JSONValue): readonly Comparison[] {
  const { $eq, $or } = fieldsOf(expression);
  if (Array.isArray($or)) return $or.flatMap(comparisonsOf);
  if (!Array.isArray($eq)) throw new SyscallError("Filters should be a combination of `q.eq` and `q.or`.");
  const [field, value] = [fieldsOf($eq[0])["$field"], fieldsOf($eq[1])["$literal"]];
  if (typeof field === "string" && value !== undefined) return [{ field, value }];
  throw new SyscallError("`q.eq` must take a field path as its first argument and a value as its second");
}

function fieldsOf(json: JSONValue | undefined): { readonly [name: string]: JSONValue | undefined } {
  return typeof json === "object" && json !== null && !Array.isArray(json) ? json : {};
}
