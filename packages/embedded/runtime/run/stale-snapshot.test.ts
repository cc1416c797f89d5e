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

test("a stale read cannot make its mutation conflict", async () => {
  const { call, runner, engine } = await openFixture({ latency: { readMs: 0, commitMs: 20 } });
  await call("notes:increment", { name: "hits" });
  const copies = Array.from({ length: 5 }, () => call("stale:copyStale", { from: "hits" }));
  await Promise.all([...copies, call("notes:increment", { name: "hits" })]);
  expect(runner.conflictStats()["stale.js:copyStale"]).toMatchObject({ runs: 5, conflicts: 0 });
  await engine.close();
});
