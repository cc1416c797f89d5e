import type { Value } from "convex/values";
import fc from "fast-check";
import type {
  Fields,
  NoteOperation,
  NoteRef,
  PageOptions,
  Rows,
  Search,
  Source,
  Topic,
} from "../convex/noteProgram.ts";
import type { CursorRef, NoteProgram, NoteStep, PageStep } from "./execute.ts";
import { strayId } from "./stray-id.ts";

// Few values, so that keys and scores are often equal.
const key = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 6 }) },
  fc.constantFrom<Value[]>(null, true, "a", "b"),
);
const topics = ["x", "y", 1, null] as const;
const topicValue = fc.constantFrom<Value[]>(...topics);
const topic: fc.Arbitrary<Topic | null> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: topicValue.map((value) => ({ value })) },
  { weight: 1, arbitrary: fc.constant({}) },
);

const word = fc.constantFrom("red", "reds", "redder", "Blue", "green", "re", "x".repeat(31), "y".repeat(32));
const phrase = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(word, { maxLength }), fc.constantFrom(" ", ", ", "-", "?! "))
    .map(([words, gap]) => words.join(gap));
const body = fc.oneof(
  { weight: 8, arbitrary: phrase(6) },
  fc.constantFrom<Value[]>(7, null, ["red"], { red: "red" }),
);

const part = fc.integer({ min: -2, max: 2 });
const vector = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(part, part) },
  { weight: 1, arbitrary: fc.constantFrom<Value[]>([1], [1, 2, 3], "1, 2", ["1", 2]) },
) as fc.Arbitrary<Value>;

const fieldsOf = (arbitraries: Record<string, fc.Arbitrary<Value>>): fc.Arbitrary<Fields> =>
  fc.record(arbitraries, { requiredKeys: [] }) as fc.Arbitrary<Fields>;

const rowFields = fieldsOf({ key, topic: topicValue, text: fc.constantFrom("short", "long".repeat(40)) });
const searchedFields = fieldsOf({ topic: topicValue, body, vector });

/** Names that Convex refuses, at the top or everywhere, between some that it allows. */
const name = fc.constantFrom("_mine", "__", "", "$x", "a$", "é", "a b", "tab\t", "_id", "ok");
const named = (names: fc.Arbitrary<string>, values: fc.Arbitrary<Value>): fc.Arbitrary<Fields> =>
  fc.dictionary(names, values, { maxKeys: 2, noNullPrototype: true });
const odd: fc.Arbitrary<Value> = fc.oneof(
  fc.nat({ max: 3 }),
  named(name, fc.oneof(fc.nat({ max: 3 }), named(name, fc.nat({ max: 3 })))),
);
// An `_id` of another document has an error of its own.
const topName = name.filter((each) => each !== "_id");
const namedFields: fc.Arbitrary<Fields> = fc
  .tuple(
    fieldsOf({ key, nested: odd }),
    fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, named(topName, odd)),
  )
  .map(([plain, more]) => ({ ...plain, ...more }));

const created: fc.Arbitrary<NoteRef> = fc.nat({ max: 30 }).map((n) => ({ created: n }));
const anyRef: fc.Arbitrary<NoteRef> = fc.oneof(
  { weight: 6, arbitrary: created },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.integer({ min: 20_000, max: 0xffff_ffff }),
        fc.array(fc.nat({ max: 255 }), { minLength: 16, maxLength: 16 }),
      )
      .map(([table, document]) => ({ stray: strayId(table, document) })),
  },
  { weight: 1, arbitrary: fc.constantFrom("", "nonsense", "0".repeat(32)).map((nonsense) => ({ nonsense })) },
);

function writesOf(
  fields: fc.Arbitrary<Fields>,
  ref: fc.Arbitrary<NoteRef>,
): fc.WeightedArbitrary<NoteOperation>[] {
  return [
    { weight: 5, arbitrary: fc.record({ do: fc.constant("insert" as const), value: fields }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("patch" as const),
        ref,
        value: fields,
        unset: fc.subarray(["key", "topic", "body"], { maxLength: 1 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("replace" as const), ref, value: fields }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), ref }) },
  ];
}

/** Operations, some of them in nested functions that may fail. Queries get the reads only. */
function operationsOf(
  kind: "query" | "mutation",
  writes: fc.WeightedArbitrary<NoteOperation>[],
  reads: fc.WeightedArbitrary<NoteOperation>[],
  depth: number,
): fc.Arbitrary<NoteOperation[]> {
  const nested = (inner: "query" | "mutation"): fc.WeightedArbitrary<NoteOperation> => ({
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("nested" as const),
      kind: fc.constant(inner),
      operations: operationsOf(inner, writes, reads, depth - 1),
      fails: fc.boolean(),
      caught: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
    }),
  });
  const inner =
    depth === 0 ? [] : kind === "mutation" ? [nested("query"), nested("mutation")] : [nested("query")];
  const choices = [...(kind === "mutation" ? writes : []), ...reads, ...inner];
  return fc.array(fc.oneof(...choices), { minLength: 1, maxLength: 6 });
}

const rows: fc.Arbitrary<Rows> = fc.record({
  kind: fc.constant("rows" as const),
  atLeast: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom(1, 2)),
  below: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom<Value[]>(5, 6, "b")),
  order: fc.constantFrom("asc", "desc"),
  topic: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, topic),
});
const search: fc.Arbitrary<Search> = fc.record({
  kind: fc.constant("search" as const),
  text: phrase(3),
  topic,
});

const count = fc.constantFrom(null, null, 1, 3);
const taking = (source: fc.Arbitrary<Source>): fc.WeightedArbitrary<NoteOperation> => ({
  weight: 3,
  arbitrary: fc.record({ do: fc.constant("take" as const), source, count }),
});
const looking: fc.WeightedArbitrary<NoteOperation>[] = (["get", "normalizeId"] as const).map((each) => ({
  weight: 2,
  arbitrary: fc.record({ do: fc.constant(each), ref: anyRef }),
}));

const options: fc.Arbitrary<PageOptions> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ numItems: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 6,
    arbitrary: fc.record(
      {
        numItems: fc.integer({ min: 1, max: 12 }),
        maximumRowsRead: fc.integer({ min: 1, max: 6 }),
        maximumBytesRead: fc.constantFrom(1, 100, 300, 700),
      },
      { requiredKeys: ["numItems"] },
    ),
  },
);
const wrongOptions: fc.Arbitrary<PageOptions> = fc.constantFrom<PageOptions[]>(
  { numItems: 0 },
  { numItems: 32_001 },
  { numItems: 1, maximumRowsRead: 0 },
  { numItems: 1, maximumBytesRead: 0 },
);

const cursorOf = (sources: number): fc.Arbitrary<CursorRef | null> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 6, arbitrary: fc.nat({ max: 5 }).map((newest) => ({ newest })) },
    { weight: 1, arbitrary: fc.record({ newest: fc.nat({ max: 2 }), of: fc.nat({ max: sources - 1 }) }) },
  );

function pageStep(sources: number): fc.Arbitrary<{ do: "page" } & PageStep> {
  const source = fc.nat({ max: sources - 1 });
  const right = fc.record({
    do: fc.constant("page" as const),
    source,
    cursor: cursorOf(sources),
    end: cursorOf(sources),
    options,
  });
  const wrong = wrongOptions.chain((each) =>
    source.map((of) => ({ do: "page" as const, source: of, cursor: null, end: null, options: each })),
  );
  return fc.oneof({ weight: 20, arbitrary: right }, { weight: 1, arbitrary: wrong });
}

const step = (kind: "read" | "write", operations: fc.Arbitrary<NoteOperation[]>): fc.Arbitrary<NoteStep> =>
  operations.map((each) => ({ do: kind, operations: each }));

/** Starts with some notes, so that few steps meet an empty table. */
function programOf(
  sources: fc.Arbitrary<Source>,
  fields: fc.Arbitrary<Fields>,
  stepsOf: (sources: number) => fc.WeightedArbitrary<NoteStep>[],
): fc.Arbitrary<NoteProgram> {
  const insert = fc.record({ do: fc.constant("insert" as const), value: fields });
  const seed = step("write", fc.array(insert, { minLength: 3, maxLength: 12 }));
  return fc
    .uniqueArray(sources, { minLength: 1, maxLength: 2, selector: (each) => JSON.stringify(each) })
    .chain((some) =>
      fc
        .tuple(seed, fc.array(fc.oneof(...stepsOf(some.length)), { minLength: 2, maxLength: 12 }))
        .map(([first, rest]) => ({ sources: some, steps: [first, ...rest] })),
    );
}

const rowWrites = step("write", operationsOf("mutation", writesOf(rowFields, created), [taking(rows)], 1));

/** Pages with limits, end cursors and splits, of rows that come, go and move. */
export const pagePrograms = programOf(rows, rowFields, (sources) => [
  { weight: 3, arbitrary: pageStep(sources) },
  { weight: 1, arbitrary: rowWrites },
]);

/** Two clients watch pages, often equal ones, while rows come, go and move. */
export const watchPrograms = programOf(rows, rowFields, (sources) => [
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("watch" as const),
      client: fc.constantFrom(0, 1),
      source: fc.nat({ max: sources - 1 }),
      cursor: fc.oneof(
        { weight: 2, arbitrary: fc.constant(null) },
        fc.nat({ max: 3 }).map((newest) => ({ newest })),
      ),
      end: fc.oneof(
        { weight: 4, arbitrary: fc.constant(null) },
        fc.nat({ max: 3 }).map((newest) => ({ newest })),
      ),
      options: fc.constantFrom<PageOptions[]>(
        { numItems: 2 },
        { numItems: 3 },
        { numItems: 9, maximumRowsRead: 4 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unwatch" as const), nth: fc.nat({ max: 5 }) }) },
  { weight: 4, arbitrary: rowWrites },
]);

const searchWrites = operationsOf("mutation", writesOf(searchedFields, created), [taking(search)], 1);

/** Text and vector searches, also within mutations after their own writes, and pages of results. */
export const searchPrograms = programOf(search, searchedFields, (sources) => [
  { weight: 3, arbitrary: step("write", searchWrites) },
  { weight: 3, arbitrary: step("read", operationsOf("query", [], [taking(search)], 0)) },
  { weight: 3, arbitrary: pageStep(sources) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("nearest" as const),
      search: fc.record({
        vector: fc.oneof({ weight: 9, arbitrary: fc.tuple(part, part) }, fc.constantFrom<number[][]>([1])),
        limit: fc.constantFrom(null, null, 1, 2, 4, 256, 257),
        any: fc.oneof(
          fc.constant(null),
          fc.array(
            topic.filter((each) => each !== null),
            { minLength: 1, maxLength: 2 },
          ),
        ),
      }),
    }),
  },
]);

/** No inserts: a function that has returned cannot tell their ids. */
const leave: fc.Arbitrary<NoteStep> = fc.record({
  do: fc.constant("leave" as const),
  operations: fc.array(fc.oneof(...writesOf(namedFields, anyRef).slice(1), taking(rows)), {
    minLength: 1,
    maxLength: 4,
  }),
  rejects: fc.boolean(),
});

const ruleReads = [...looking, taking(rows)];

/** Nested functions that fail, work that nobody awaits, ids of tables that are not there, and names that are refused. */
export const rulePrograms = programOf(rows, namedFields, () => [
  {
    weight: 4,
    arbitrary: step("write", operationsOf("mutation", writesOf(namedFields, anyRef), ruleReads, 2)),
  },
  { weight: 2, arbitrary: leave },
  { weight: 1, arbitrary: step("read", operationsOf("query", [], ruleReads, 1)) },
]);
