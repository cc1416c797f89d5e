import { afterEach, expect, test } from "vitest";
import { openFixture, type Fixture } from "./runtime.fixture.ts";

let fixture: Fixture | null = null;

afterEach(async () => {
  await fixture?.engine.close();
});

const timeout = "Function execution timed out (maximum duration: 1s)";

test("a query that waits for what never comes fails, also within another", async () => {
  const { call } = (fixture = await openFixture());
  await Promise.all([
    expect(call("careless:stalls")).rejects.toThrow(timeout),
    expect(call("careless:stallsInNested")).rejects.toThrow(timeout),
  ]);
});

test("of a mutation that does, nothing is left", async () => {
  const { call } = (fixture = await openFixture());
  await expect(call("careless:writesAndStalls")).rejects.toThrow(timeout);
  expect(await call("notes:byRank", { from: 99, to: 100 })).toEqual([]);
});

test("time in the database does not count", async () => {
  const { call } = (fixture = await openFixture({ latency: { readMs: 130, commitMs: 0 } }));
  const since = Date.now();
  expect(await call("careless:readsSlowly", { times: 10 })).toBe("done");
  expect(Date.now() - since).toBeGreaterThan(1_200);
});

test("nor does what others keep the process busy with", async () => {
  const { call } = (fixture = await openFixture());
  const stalled = expect(call("careless:stalls")).rejects.toThrow(timeout);
  const until = Date.now() + 1_500;
  while (Date.now() < until);
  const since = Date.now();
  await stalled;
  expect(Date.now() - since).toBeGreaterThan(600);
});
