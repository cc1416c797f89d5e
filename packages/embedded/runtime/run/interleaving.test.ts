import type { JSONValue } from "convex/values";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Fixture, openFixture, request, valueOf } from "../runtime.fixture.ts";

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.engine.close());

/** Makes calls one after the other, as from separate sockets. No call waits for another. */
async function eachInItsTurn(...calls: readonly [string, JSONValue][]): Promise<readonly JSONValue[]> {
  return Promise.all(
    calls.map(
      ([path, args]) =>
        new Promise<JSONValue>((resolve, reject) => {
          setImmediate(() => {
            fixture.runner.runMutation(request(path, args)).then(valueOf).then(resolve, reject);
          });
        }),
    ),
  );
}

test("overlapping mutations conflict if one reads where the other writes, and the range is counted", async () => {
  const seen = await eachInItsTurn(["lanes:advance", { lane: "m" }], ["lanes:advance", { lane: "m" }]);
  expect([...seen].sort()).toEqual([0, 1]);
  expect(fixture.runner.conflictStats()["lanes.js:advance"]).toMatchObject({
    runs: 2,
    conflicts: 1,
    retries: 1,
    ranges: [{ table: "counters", range: 'by_name["m"]', conflicts: 1 }],
    latest: [{ retried: true }],
  });
});

test("overlapping mutations in different ranges of an index do not conflict", async () => {
  const seen = await eachInItsTurn(["lanes:advance", { lane: "m" }], ["lanes:advance", { lane: "n" }]);
  expect(seen).toEqual([0, 0]);
  expect(fixture.runner.conflictStats()["lanes.js:advance"]).toMatchObject({ runs: 2, conflicts: 0 });
});

test("calls that a mutation makes at once take one step, so it commits before one with three steps", async () => {
  const seen = await eachInItsTurn(["lanes:advanceAtOnce", { lane: "m" }], ["lanes:advance", { lane: "m" }]);
  expect(seen).toEqual([0, 1]);
  const { "lanes.js:advanceAtOnce": atOnce, "lanes.js:advance": stepwise } = fixture.runner.conflictStats();
  expect([atOnce?.conflicts, stepwise?.conflicts]).toEqual([0, 1]);
});

test("a mutation without writes sees one snapshot and never conflicts", async () => {
  const calls = [["lanes:advance", { lane: "m" }] as const, ["lanes:look", { lane: "m" }] as const];
  for (let round = 0; round < 5; round++) {
    const [, looked] = await eachInItsTurn(...calls.map(([path, args]): [string, JSONValue] => [path, args]));
    const [first, again] = looked as readonly JSONValue[];
    expect(again).toBe(first);
  }
  const { "lanes.js:look": look } = fixture.runner.conflictStats();
  expect(look).toMatchObject({ runs: 5, conflicts: 0 });
});
