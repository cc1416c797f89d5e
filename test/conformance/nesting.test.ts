import { ConvexError, type Value } from "convex/values";
import { describe, expect, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, liveClient, uniqueName } from "./deployment.ts";
import { watch } from "./watch.ts";

const { nested } = modules;
const data: readonly (readonly [string, Value])[] = [
  ["null", null],
  ["a text", "taken"],
  ["JSON in a text", '{"not": "parsed"}'],
  ["a number", 1.5],
  ["NaN", NaN],
  ["an int64", 7n],
  ["a boolean", false],
  ["bytes", new Uint8Array([0, 255]).buffer],
  ["an array", [1, [2n]]],
  ["an object", { code: "taken", at: { n: 3n } }],
];

async function dataOf(failing: Promise<unknown>): Promise<Value> {
  const error = await failing.then(
    () => null,
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(ConvexError);
  return (error as ConvexError<Value>).data;
}

const clients = [
  ["over HTTP", () => httpClient()],
  ["over a WebSocket", () => liveClient()],
] as const;

describe.each(clients)("ConvexErrors %s", (_, connect) => {
  test.each(data)("the data of a ConvexError arrives: %s", async (_, value) => {
    const client = connect();
    expect(await dataOf(client.query(nested.failingQuery, { data: value }))).toEqual(value);
    expect(await dataOf(client.mutation(api.values.failWithData, { data: value }))).toEqual(value);
    expect(await dataOf(client.action(nested.failingAction, { data: value }))).toEqual(value);
    expect(await client.action(nested.caughtInAction, { data: value })).toEqual(value);
  });
});

test("the error of a subscription has its data", async () => {
  const error = await watch(liveClient(), nested.failingQuery, { data: { n: 7n } }).untilError();
  expect((error as ConvexError<Value>).data).toEqual({ n: 7n });
});

test("an error over plain HTTP has its data and its message", async () => {
  const body = JSON.stringify({ path: "nested:failingQuery", args: { data: { code: "x" } }, format: "json" });
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${deployment.url}/api/query`, { method: "POST", headers, body });
  expect(await response.json()).toMatchObject({ status: "error", errorData: { code: "x" } });
});

test("an action ends with the one that has called it and does not await it", async () => {
  const channel = uniqueName();
  await httpClient().action(modules.later.leavesAction, { channel });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(await httpClient().query(api.messages.list, { channel })).toEqual(["awaited"]);
});

test("only the nested mutation is rolled back if its error is caught", async () => {
  const channel = uniqueName();
  const bodies = ["before", "nested", "after"];
  expect(await httpClient().mutation(nested.outer, { channel, isCaught: true })).toEqual({
    caught: { why: 7n },
    seen: bodies,
  });
  expect(await httpClient().query(api.messages.list, { channel })).toEqual(bodies);
});

test("everything is rolled back if a nested error is not caught, and the client gets its data", async () => {
  const channel = uniqueName();
  const failing = httpClient().mutation(nested.outer, { channel, isCaught: false });
  expect(await dataOf(failing)).toEqual({ why: 7n });
  expect(await httpClient().query(api.messages.list, { channel })).toEqual([]);
});

test("writes of nested mutations that failed do not count", async () => {
  const channel = uniqueName();
  const errors = await httpClient().mutation(nested.writesAfterFailures, { channel });
  expect(errors).toEqual(["taken back", "taken back"]);
  expect(await httpClient().query(api.messages.list, { channel })).toEqual(["kept"]);
});

test("a nested call of a missing function fails with Convex's message", async () => {
  expect(await httpClient().query(nested.callsMissing, {})).toBe(
    "Could not find public function for 'folder/nowhere:nothing'. Did you forget to run `npx convex dev` or `npx convex deploy`?",
  );
});

test("the error of a nested call names its class once, and has the frames of its callers", async () => {
  await expect(httpClient().action(nested.failsThroughTwo, {})).rejects.toThrow(
    /Server Error\nUncaught TypeError: deep down\n(?: {4}at .*nested\.ts:\d+:\d+\)\s+){2,}/,
  );
});

test("functions that nested mutations scheduled count, even if those failed", async () => {
  const channel = uniqueName();
  const [first, second] = await httpClient().mutation(nested.schedulesAfterFailure, { channel });
  expect(first).toMatch("taken back");
  expect(second).toMatch("Too many functions scheduled by this mutation (limit: 1000)");
});

test.each([
  [{ documentsWritten: 2 }, "Too many writes in a single function execution (limit: 5)"],
  [{ bytesWritten: 10 }, "Too many bytes written in a single function execution (limit: "],
  [{ documentsRead: 2 }, "Too many documents read in a single function execution (limit: 5)"],
  [{ bytesRead: 10 }, "Too many bytes read in a single function execution (limit: "],
  [{ databaseQueries: 2 }, "Too many reads in a single function execution (limit: 5)"],
  [{ functionsScheduled: 2 }, "Too many functions scheduled by this mutation (limit: 5)"],
  [{ scheduledFunctionArgsBytes: 10 }, "arguments of scheduled functions from this mutation (limit: "],
])("a nested call has what is left, or less: %j", async (budget, message) => {
  const channel = uniqueName();
  const { error, documentsRead } = await httpClient().mutation(nested.withBudget, { channel, budget });
  expect(error).toMatch(message);
  expect(documentsRead).toEqual({ used: 3, remaining: "documentsRead" in budget ? 2 : 32_000 - 3 });
  expect(await httpClient().query(api.messages.list, { channel })).toHaveLength(6);
});

test("a budget does not raise a limit", async () => {
  const budget = { documentsRead: 100_000 };
  const { error, documentsRead } = await httpClient().mutation(nested.withBudget, {
    channel: uniqueName(),
    budget,
  });
  expect({ error, documentsRead }).toEqual({
    error: null,
    documentsRead: { used: 3, remaining: 32_000 - 3 },
  });
});

test("work that a mutation does not await runs to its end, and commits or fails with it", async () => {
  const [done, failed] = [uniqueName(), uniqueName()];
  const leave = (channel: string, fails: boolean) =>
    httpClient().mutation(nested.leavesWork, { channel, fails });
  expect(await leave(done, false)).toBe("returned");
  expect(await httpClient().query(api.messages.list, { channel: done })).toEqual(["first", "second"]);
  await expect(leave(failed, true)).rejects.toThrow(/left behind|Server Error/);
  expect(await httpClient().query(api.messages.list, { channel: failed })).toEqual([]);
});

test("reading a Blob is work that a mutation need not await", async () => {
  const channel = uniqueName();
  await httpClient().mutation(nested.leavesReading, { channel });
  expect(await httpClient().query(api.messages.list, { channel })).toEqual(["2000000"]);
});

test("actions of one client run concurrently", async () => {
  const client = liveClient();
  const runs = await Promise.all(Array.from({ length: 4 }, () => client.action(nested.slow, { ms: 500 })));
  const lastStart = Math.max(...runs.map(({ started }) => started));
  const firstEnd = Math.min(...runs.map(({ ended }) => ended));
  expect(lastStart).toBeLessThan(firstEnd);
});

test("a mutation does not wait for an action", async () => {
  const client = liveClient();
  let hasEnded = false;
  const action = client.action(nested.slow, { ms: 1500 }).then(() => (hasEnded = true));
  await client.mutation(api.counters.increment, { name: uniqueName() });
  expect(hasEnded).toBe(false);
  await action;
});
