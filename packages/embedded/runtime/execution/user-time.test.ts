import { afterEach, expect, test } from "vitest";
import { type Fixture, openFixture } from "../runtime.fixture.ts";

let fixture: Fixture | null = null;

afterEach(async () => {
  await fixture?.engine.close();
});

const timeout = "Function execution timed out (maximum duration: 1s)";
// On a busy machine an endless chain of promises may fill its memory first.
const timeoutOrMemory = /timed out|ran out of memory/;
const never = "Returned promise will never resolve";

test("a query that awaits a promise that never resolves fails, also as a nested call", async () => {
  const { call } = (fixture = await openFixture());
  await Promise.all([
    expect(call("careless:stalls")).rejects.toThrow(never),
    expect(call("careless:stallsInNested")).rejects.toThrow(never),
  ]);
});

test("a mutation that awaits a promise that never resolves leaves nothing", async () => {
  const { call } = (fixture = await openFixture());
  await expect(call("careless:writesAndStalls")).rejects.toThrow(never);
  expect(await call("notes:byRank", { from: 99, to: 100 })).toEqual([]);
});

test("time in the database does not count for a function", async () => {
  const { call } = (fixture = await openFixture({ latency: { readMs: 130, commitMs: 0 } }));
  const since = Date.now();
  expect(await call("careless:readsSlowly", { times: 10 })).toBe("done");
  expect(Date.now() - since).toBeGreaterThan(1_200);
});

test("time in which other work keeps the process busy does not count", async () => {
  const { call } = (fixture = await openFixture());
  const stalled = expect(call("careless:stalls")).rejects.toThrow(never);
  const until = Date.now() + 1_500;
  while (Date.now() < until);
  const since = Date.now();
  await stalled;
  expect(Date.now() - since).toBeGreaterThan(600);
});

test.each(["loop", "settled", "chain", "calls", "catches", "generator"])(
  "a function that never yields is ended: %s",
  async (way) => {
    const { call } = (fixture = await openFixture());
    const expected = way === "chain" ? timeoutOrMemory : timeout;
    await expect(call("careless:endlessQuery", { way })).rejects.toThrow(expected);
  },
);

test("a mutation that never yields leaves nothing", async () => {
  const { call } = (fixture = await openFixture());
  await expect(call("careless:endlessMutation", { way: "settled" })).rejects.toThrow(timeout);
  expect(await call("notes:byRank", { from: 99, to: 100 })).toEqual([]);
});

test("a function that catches the timeout has still failed", async () => {
  const { call } = (fixture = await openFixture());
  await expect(call("careless:unmoved")).rejects.toThrow(timeout);
});

test("several functions that never yield all end", async () => {
  const { call } = (fixture = await openFixture());
  const ways = ["settled", "settled", "chain"];
  await Promise.all(
    ways.map((way) => expect(call("careless:endlessQuery", { way })).rejects.toThrow(timeoutOrMemory)),
  );
});

test("a stack overflow is the function's own error", async () => {
  const { call } = (fixture = await openFixture());
  expect(await call("careless:recurses")).toEqual({
    message: "Maximum call stack size exceeded",
    note: null,
  });
});

test("concurrent functions within the limit all finish", async () => {
  const { call } = (fixture = await openFixture());
  const works = Array.from({ length: 20 }, () => call("careless:works", { ms: 10 }));
  expect(await Promise.all(works)).toHaveLength(20);
});

test("an action that reads the database in a loop lets other calls run", async () => {
  const { call } = (fixture = await openFixture());
  const asked = call("careless:asksForever");
  await call("notes:add", { text: "at last", rank: 99 });
  expect(await asked).toBeGreaterThanOrEqual(0);
});

test("a regular expression that backtracks too much still finishes", async () => {
  const { call } = (fixture = await openFixture());
  expect(await call("careless:backtracks", { length: 60 })).toBe(false);
});

test.each(["sortsInRounds", "sortsInside", "sortsBetweenReads"])(
  "a function that spends too long inside V8 fails: %s",
  async (name) => {
    const { call } = (fixture = await openFixture());
    await expect(call(`careless:${name}`)).rejects.toThrow(timeout);
    expect(await call("notes:byRank", { from: 99, to: 100 })).toEqual([]);
  },
);

test("a function that allocates buffers endlessly is ended", async () => {
  const { call } = (fixture = await openFixture());
  await expect(call("careless:takesBuffers")).rejects.toThrow(
    "JavaScript execution ran out of memory (maximum memory usage: 64 MB)",
  );
});
