import { expect, test } from "vitest";
import { openFixture } from "../runtime.fixture.ts";

test("a stale read does not see its own mutation's writes, and a fresh read does", async () => {
  const { call, engine } = await openFixture();
  expect(await call("stale:readBeside", { name: "new" })).toEqual({ stale: 0, fresh: 100 });
  await engine.close();
});

test("a stale read does not count", async () => {
  const { call, engine } = await openFixture();
  await call("notes:increment", { name: "hits" });
  expect(await call("stale:countReads", { name: "hits" })).toEqual({ afterStale: 0, afterFresh: 1 });
  await engine.close();
});

const tooMany = (limit: number): string => `Too many reads in a single function execution (limit: ${limit})`;

test.each([
  ["all ranges that a function may read", { own: 2_000, calls: [2_096], isStale: false }, null],
  ["one range too many", { own: 2_000, calls: [2_097], isStale: false }, tooMany(4_096)],
  ["all ranges, some of them twice", { own: 0, calls: [3_000, 3_000, 4_096], isStale: false }, null],
  [
    "one too many after some were read twice",
    { own: 0, calls: [3_000, 3_000, 4_097], isStale: false },
    tooMany(4_096),
  ],
  ["all ranges of a budget", { own: 3_000, calls: [2], budget: 2, isStale: false }, null],
  ["more ranges than its budget", { own: 3_000, calls: [3], budget: 2, isStale: false }, tooMany(3_002)],
  ["all ranges of a stale call's budget", { own: 3_000, calls: [2], budget: 2, isStale: true }, null],
  ["more than a stale call's budget", { own: 3_000, calls: [3], budget: 2, isStale: true }, tooMany(2)],
  ["many ranges in each of many stale calls", { own: 9, calls: Array(6).fill(3_500), isStale: true }, null],
])("a nested call reads %s", async (_, args, error) => {
  const { call, engine } = await openFixture();
  const counted = (await call("stale:countRanges", args)) as { error: string | null; used: number };
  if (error === null) expect(counted.error).toBeNull();
  else expect(counted.error).toMatch(error);
  if (args.isStale) expect(counted.used).toBe(args.own);
  await engine.close();
});

test("queries that run at once count before they read", async () => {
  const { call, engine } = await openFixture();
  expect(await call("stale:callAtOnce", { count: 4, budget: 4 })).toBeNull();
  await expect(call("stale:callAtOnce", { count: 5, budget: 4 })).rejects.toThrow(tooMany(4));
  await engine.close();
});

test("a stale read cannot make its mutation conflict", async () => {
  const { call, runner, engine } = await openFixture({ latency: { readMs: 0, commitMs: 20 } });
  await call("notes:increment", { name: "hits" });
  const copies = Array.from({ length: 5 }, () => call("stale:copyStale", { from: "hits" }));
  await Promise.all([...copies, call("notes:increment", { name: "hits" })]);
  expect(runner.conflictStats()["stale.js:copyStale"]).toMatchObject({ runs: 5, conflicts: 0 });
  await engine.close();
});
