import type { Step } from "./arbitrary.ts";
import type { Outcome } from "./backend.ts";
import type { Difference } from "./compare.ts";
import type { Operation, QuerySpec } from "./convex/program.ts";

/**
 * Differences in which the embedded backend follows Convex and convex-test does not. Each has an example. When
 * convex-test changes, the example fails and the entry can go.
 */
export type KnownDifference = {
  readonly name: string;
  readonly what: string;
  /** The backend that follows Convex, with the source. */
  readonly right: string;
  readonly explains: (difference: Difference) => boolean;
  readonly example: readonly Step[];
};

// JSON.stringify escapes each lone half.
const loneSurrogate = /\\ud[89a-f]/;

const indexOfItems: Record<string, readonly string[]> = {
  by_key: ["key"],
  by_key_other: ["key", "other"],
  by_deep: ["nested.deep"],
};

const errorOf = (result: unknown): unknown => (result as { error?: unknown } | null)?.error;
const hasValue = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "value" in result;

const mutation = (...operations: Operation[]): Step => ({ kind: "mutation", operations });
const query = (...operations: Operation[]): Step => ({ kind: "query", operations });
const insert = (value: Extract<Operation, { do: "insert" }>["value"]): Operation => ({
  do: "insert",
  table: "items",
  value,
});
const all = (spec: Partial<QuerySpec>): Operation => ({
  do: "query",
  query: { table: "items", index: null, bounds: [], order: null, filters: [], ...spec },
  take: "all",
});

export const knownDifferences: readonly KnownDifference[] = [
  {
    name: "the last page when it is exactly full",
    what: "convex-test looks ahead and says isDone; the embedded backend says so with the empty page that follows.",
    right:
      "embedded: a page ends when it has numItems documents, and Convex reads no further (crates/database/src/query)",
    explains: ({ at, embedded, convexTest }) => {
      if (!at.includes(", page ")) return false;
      const [ours, theirs] = [embedded, convexTest].map(
        (outcome) => (outcome as { value?: { page: unknown[]; isDone: boolean } } | undefined)?.value,
      );
      if (ours === undefined || theirs === undefined) return false;
      return !ours.isDone && theirs.isDone && ours.page.length === theirs.page.length;
    },
    example: [
      mutation(insert({ key: 1 }), insert({ key: 2 })),
      {
        kind: "pages",
        query: { table: "items", index: null, bounds: [], order: null, filters: [] },
        pages: [{ numItems: 2, then: [] }],
      },
    ],
  },
  {
    name: "equalities of an index range in another order",
    what: "convex-test requires .eq() calls in the order of the index's fields, and all before the first bound.",
    right:
      "embedded: Convex collects the equalities by field (crates/common/src/query.rs, IndexRange::split)",
    explains: ({ operation, embedded, convexTest }) =>
      operation?.do === "query" &&
      isReordered(operation.query) &&
      hasValue(embedded) &&
      errorOf(convexTest) === "index range",
    example: [
      mutation(insert({ key: 1, other: 2 })),
      query(
        all({
          index: "by_key_other",
          bounds: [
            { field: "other", is: "eq", to: { v: 2 } },
            { field: "key", is: "eq", to: { v: 1 } },
          ],
        }),
      ),
    ],
  },
  {
    name: "unsetting a field that the schema does not have",
    what: "convex-test checks the patched document with the field as undefined, and refuses it.",
    right:
      "embedded: a patched field that is undefined is removed, then the document is checked (docs: Writing Data, db.patch)",
    explains: ({ operation, embedded, convexTest }) =>
      operation?.do === "patch" &&
      operation.unset.length > 0 &&
      hasValue(embedded) &&
      errorOf(convexTest) === "validator",
    example: [
      mutation({ do: "insert", table: "strict", value: { int: 1n } }),
      mutation({ do: "patch", ref: 0, value: {}, unset: ["extra"] }),
    ],
  },
  {
    name: "the order of values in filters",
    what: "convex-test compares with JavaScript's < and >: never true for undefined, by UTF-16, across types by conversion.",
    right: "embedded: filters order values as indexes do (crates/common/src/query.rs, Expression::eval)",
    explains: ({ operation }) => operation?.do === "query" && operation.query.filters.some(comparesOrder),
    example: [
      mutation(insert({ key: "a" }), insert({ key: 1 }), insert({})),
      query(all({ filters: [{ compare: "lt", left: { field: "key" }, right: { literal: { v: "a" } } }] })),
    ],
  },
  {
    name: "negation in filters",
    what: "convex-test does not have q.neg().",
    right: "embedded: Convex has it (crates/common/src/query.rs, Expression::Neg)",
    explains: ({ operation, convexTest }) =>
      operation?.do === "query" && /not implemented: \{"\$neg"/.test(String(errorOf(convexTest))),
    example: [
      mutation(insert({ key: -1 })),
      query(
        all({
          filters: [{ compare: "eq", left: { field: "key" }, right: { negative: { literal: { v: 1 } } } }],
        }),
      ),
    ],
  },
  {
    name: "filters that are not conditions",
    what: "convex-test accepts any value as a condition, like JavaScript, and adds texts.",
    right:
      "embedded: only booleans are conditions, only numbers add (crates/common/src/types/maybe_value.rs, into_boolean)",
    explains: ({ operation, embedded, convexTest }) =>
      operation?.do === "query" && errorOf(embedded) === "filter" && hasValue(convexTest),
    example: [mutation(insert({ key: 1 })), query(all({ filters: [{ field: "key" }] }))],
  },
  {
    name: "int64 and bytes in a nested function's ConvexError",
    what: "convex-test hands the data to the convex package decoded, which decodes it again and fails.",
    right: "embedded: an error's data is any Convex value (docs: Application Errors)",
    explains: ({ operation, convexTest }) =>
      operation?.do === "nested" && /^Unexpected type of/.test(String(errorOf(convexTest))),
    example: [
      query({
        do: "nested",
        kind: "query",
        operations: [{ do: "fail", with: { data: 7n } }],
        caught: true,
      }),
    ],
  },
  {
    name: "an invalid id",
    what: "convex-test returns null for db.get() of any text.",
    right: "embedded: Convex refuses an id that cannot be decoded (crates/isolate, async_syscall.rs: get)",
    explains: ({ operation, embedded, convexTest }) =>
      operation?.do === "get" &&
      typeof operation.ref === "string" &&
      errorOf(embedded) === "wrong id" &&
      hasValue(convexTest),
    example: [query({ do: "get", ref: "nonsense", table: null })],
  },
  {
    name: "half a surrogate pair",
    what: "convex-test keeps it.",
    right: "embedded: Convex's strings are UTF-8, which cannot contain it (docs: Data Types, v.string)",
    explains: ({ step, embedded, convexTest }) =>
      loneSurrogate.test(
        JSON.stringify(step, (_, value: unknown) => (typeof value === "bigint" ? 0 : value)),
      ) &&
      (embedded as Outcome).kind === "error" &&
      (convexTest as Outcome).kind === "value",
    example: [query({ do: "echo", value: "\ud83d" })],
  },
];

/** Whether the types forbid the order: an equality after a later field's, or after a bound. */
function isReordered({ index, bounds }: QuerySpec): boolean {
  const fields = indexOfItems[index ?? ""] ?? [];
  const equalities = bounds.filter(({ is }) => is === "eq").map(({ field }) => field);
  const firstBound = bounds.findIndex(({ is }) => is !== "eq");
  const isLate = firstBound !== -1 && bounds.slice(firstBound).some(({ is }) => is === "eq");
  return isLate || equalities.some((field, n) => fields[n] !== field);
}

function comparesOrder(filter: QuerySpec["filters"][number]): boolean {
  if ("compare" in filter) return filter.compare !== "eq" && filter.compare !== "neq";
  if ("and" in filter) return filter.and.some(comparesOrder);
  if ("or" in filter) return filter.or.some(comparesOrder);
  return "not" in filter && comparesOrder(filter.not);
}
