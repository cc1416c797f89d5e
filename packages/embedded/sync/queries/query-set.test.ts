import { expect, onTestFinished, test } from "vitest";
import { Turns } from "../../admission/turns.ts";
import { openEngine } from "../../engine/engine.ts";
import { bundleFunctions } from "../../runtime/bundle/bundle.ts";
import { createFunctionRuntime } from "../../runtime/create-function-runtime.ts";
import { testApp } from "../../test-app.fixture.ts";
import { LiveQueries } from "./live-queries.ts";
import { QuerySet } from "./query-set.ts";

const nobody = { kind: "none" } as const;
const queries = 100;

async function setUp(givenBytes = 2 ** 20) {
  let maxBytes = givenBytes;
  const bundled = await bundleFunctions(testApp);
  if (bundled.kind === "failed") throw new Error(bundled.message);
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  const runner = createFunctionRuntime({ engine, bundle: bundled.bundle });
  const kept: number[] = [];
  let refused = 0;
  const set = new QuerySet({
    live: new LiveQueries({ engine, runner, nextRequestId: () => "r" }),
    turns: new Turns(),
    maxBytes: () => maxBytes,
    onBytes: (bytes) => kept.push(bytes),
    onRefused: () => (refused += 1),
    onInvalidated: () => undefined,
  });
  const send = (channel: number) =>
    runner.runMutation({
      path: "messages:send",
      args: { channel: String(channel), body: "x" },
      identity: nobody,
      requestId: "r",
    });
  const allow = (bytes: number) => (maxBytes = bytes);
  return { set, send, allow, kept, refused: () => refused, changes: () => set.changesAt(engine.durable()) };
}

const add = (queryId: number, channel = String(queryId)) => ({
  type: "Add" as const,
  queryId,
  udfPath: "messages:list",
  args: { channel },
  journal: null,
});
const all = Array.from({ length: queries }, (_, queryId) => add(queryId));

test("a commit that affects one query causes a check of only that one", async () => {
  const { set, send, changes } = await setUp();
  set.modify(all, nobody);
  expect((await changes()).results.size).toBe(queries);
  expect((await changes()).results.size).toBe(0);
  await send(7);
  await send(queries);
  const { results } = await changes();
  expect([...results].map(([queryId, { outcome }]) => [queryId, outcome])).toEqual([
    [7, { kind: "success", value: ["x"] }],
  ]);
  expect((await changes()).results.size).toBe(0);
});

test("added, removed and re-identified queries are checked once", async () => {
  const { set, changes } = await setUp();
  set.modify(all, nobody);
  await changes();
  set.modify([{ type: "Remove", queryId: 1 }, { type: "Remove", queryId: 2 }, add(2), add(queries)], nobody);
  const { removed, results } = await changes();
  expect([removed, [...results.keys()]]).toEqual([[1], [2, queries]]);
  set.reidentify({ kind: "admin" });
  expect((await changes()).results.size).toBe(queries);
  expect(await changes()).toEqual({ removed: [], results: new Map() });
});

const unwatched = { kind: "failure", message: expect.stringContaining("may use 1 MiB here") };

test("a query without room is answered with a failure, until another one is removed", async () => {
  const { set, changes, kept, refused } = await setUp();
  const most = "x".repeat(0.3 * 2 ** 20);
  expect(set.modify([add(1, most), add(2, most), add(3)], nobody)).toEqual({ kind: "ok" });
  const { results } = await changes();
  expect([1, 2, 3].map((queryId) => [queryId, results.get(queryId)?.outcome])).toEqual([
    [1, { kind: "success", value: [] }],
    [2, unwatched],
    [3, { kind: "success", value: [] }],
  ]);
  expect(refused()).toBe(1);
  const remove = (queryId: number) => ({ type: "Remove", queryId }) as const;
  set.modify([remove(1), remove(2), add(4, most)], nobody);
  expect((await changes()).results.get(4)?.outcome.kind).toBe("success");
  set.modify([remove(3), remove(4)], nobody);
  expect(kept.at(-1)).toBe(0);
});

test("a query without room is tried again after others are removed", async () => {
  const { set, changes, kept } = await setUp();
  const most = "x".repeat(0.3 * 2 ** 20);
  const small = "y".repeat(10_000);
  set.modify([add(1, most), ...Array.from({ length: 40 }, (_, n) => add(2 + n, small))], nobody);
  const failed = [...(await changes()).results].filter(([, { outcome }]) => outcome.kind === "failure");
  const refused = failed.map(([queryId]) => queryId);
  expect(refused.length).toBeGreaterThan(5);
  set.modify([{ type: "Remove", queryId: 1 }], nobody);
  const { results } = await changes();
  expect([...results.keys()]).toEqual(refused);
  for (const { outcome } of results.values()) expect(outcome).toEqual({ kind: "success", value: [] });
  const every = Array.from({ length: 40 }, (_, n) => ({ type: "Remove" as const, queryId: 2 + n }));
  set.modify(every, nobody);
  expect(kept.at(-1)).toBe(0);
});

test("a query without room is tried again with another identity, which may use more", async () => {
  const { set, changes, allow, kept } = await setUp(2 ** 15);
  set.modify(all.slice(0, 15), nobody);
  const outcomes = async () => [...(await changes()).results.values()].map(({ outcome }) => outcome.kind);
  expect(await outcomes()).toContain("failure");
  allow(2 ** 20);
  set.reidentify({ kind: "admin" });
  expect(await outcomes()).toEqual(Array.from({ length: 15 }, () => "success"));
  set.release();
  expect(kept.at(-1)).toBe(0);
});

test("the arguments of queries without room are kept only up to a part of the memory", async () => {
  const { set, changes, kept } = await setUp();
  const most = "x".repeat(0.3 * 2 ** 20);
  set.modify(
    Array.from({ length: 20 }, (_, queryId) => add(queryId, most)),
    nobody,
  );
  await changes();
  expect(Math.max(...kept)).toBeLessThanOrEqual(1.25 * 2 ** 20);
});

test("a failure's message, which may quote the arguments, counts like them", async () => {
  const { set, changes, kept } = await setUp();
  const wrong = Array.from({ length: 40 }, (_, queryId) => ({
    ...add(queryId),
    udfPath: "values:strict",
    args: { count: `${queryId}${"x".repeat(10_000)}` },
  }));
  set.modify(wrong, nobody);
  const { results } = await changes();
  const messages = [...results.values()].map(({ outcome }) =>
    outcome.kind === "failure" ? outcome.message : "",
  );
  expect(messages.filter((message) => message.includes("ArgumentValidationError")).length).toBeGreaterThan(5);
  expect(
    messages.filter((message) => message.startsWith("This query is not watched")).length,
  ).toBeGreaterThan(5);
  expect(Math.max(...kept)).toBeLessThanOrEqual(1.25 * 2 ** 20);
});

test("a client with too many queries is stopped", async () => {
  const { set } = await setUp();
  const many = Array.from({ length: 1_300 }, (_, queryId) => add(queryId));
  expect(set.modify(many, nobody)).toMatchObject({ kind: "refused" });
});
