import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { searchIndexFields } from "../../values/keys/search-definition.ts";
import { all, collect, mutate, read } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import type { Engine, Transaction } from "../model/types.ts";
import { runSteps } from "./search.fixture.ts";
import type { VectorMatch, VectorQuery } from "./vector-search.ts";

const dimensions = 4;
const fields = searchIndexFields({ kind: "vector", vectorField: "v", dimensions, filterFields: ["lane"] });
let engine: Engine;

beforeEach(() => {
  engine = openEngine({ path: ":memory:" });
  engine.applySchema([{ name: "points", indexes: [{ name: "by_v", fields }] }]);
});
afterEach(() => engine.close());

function nearest(
  transaction: Transaction,
  vector: readonly number[],
  limit = 10,
  filters: VectorQuery["filters"] = [],
): readonly VectorMatch[] {
  const query = { vector: Float32Array.from(vector), limit, filters };
  return runSteps(transaction.searchVectors("points", "by_v", query));
}

const coordinate = fc.float({ min: -100, max: 100, noNaN: true });
const vector = fc.array(coordinate, { minLength: dimensions, maxLength: dimensions });

test("the nearest of all vectors are found, in every lane and in some", async () => {
  const point = fc.record({ v: vector, lane: fc.constantFrom("a", "b", "c") });
  await fc.assert(
    fc.asyncProperty(
      fc.array(point, { maxLength: 300 }),
      vector,
      fc.nat(20),
      async (points, wanted, limit) => {
        await mutate(engine, (transaction) => {
          for (const each of collect(transaction, all("points"))) transaction.remove(each["_id"] as string);
          for (const each of points) transaction.insert("points", each);
        });
        for (const lanes of [[], ["a"], ["a", "c"]]) {
          const found = read(engine, (transaction) =>
            nearest(
              transaction,
              wanted,
              limit,
              lanes.map((value) => ({ at: 0, value })),
            ),
          );
          const scores = points
            .filter(({ lane }) => lanes.length === 0 || lanes.includes(lane))
            .map(({ v }) => cosine(v, wanted))
            .sort((a, b) => b - a)
            .slice(0, limit);
          expect(found).toHaveLength(scores.length);
          found.forEach(({ score }, at) => expect(score).toBeCloseTo(scores[at] as number, 5));
        }
      },
    ),
    { numRuns: 50 },
  );
});

test("a search sees its snapshot, whatever is committed between its steps, and own writes", async () => {
  const ids: string[] = [];
  await mutate(engine, (transaction) => {
    for (let n = 0; n < 500; n++) ids.push(transaction.insert("points", { v: [1, n, 0, 0] }));
  });
  const transaction = engine.begin();
  const query = { vector: Float32Array.from([1, 0, 0, 0]), limit: 2, filters: [] };
  const steps = transaction.searchVectors("points", "by_v", query);
  expect(steps.next().done).toBe(false);
  await mutate(engine, (other) => {
    other.remove(ids[499] as string);
    other.replace(ids[400] as string, { v: [1, 0, 0, 0] });
    other.insert("points", { v: [1, 0, 0, 0] });
  });
  expect(runSteps(steps).map(({ id }) => id)).toEqual([ids[0], ids[1]]);
  const own = transaction.insert("points", { v: [9, 0, 0, 0] });
  expect(nearest(transaction, [1, 0, 0, 0], 2).map(({ id }) => id)).toEqual([own, ids[0]]);
  engine.discard(transaction);
  expect(read(engine, (later) => nearest(later, [1, 0, 0, 0], 10))[3]).toMatchObject({ id: ids[1] });
});

test("a vector without a direction has the score 0", async () => {
  await mutate(engine, (transaction) => transaction.insert("points", { v: [0, 0, 0, 0] }));
  expect(read(engine, (transaction) => nearest(transaction, [1, 0, 0, 0]))[0]?.score).toBe(0);
  expect(read(engine, (transaction) => nearest(transaction, [0, 0, 0, 0]))[0]?.score).toBe(0);
});

function cosine(a: readonly number[], b: readonly number[]): number {
  const product = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, each, at) => sum + each * (y[at] as number), 0);
  const norms = Math.sqrt(product(a, a) * product(b, b));
  return norms === 0 ? 0 : product(a, b) / norms;
}
