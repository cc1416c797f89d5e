import { ConvexError, type Value } from "convex/values";
import { expect, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, liveClient, uniqueName } from "./deployment.ts";
import { saying } from "./expectations.ts";
import { watch } from "./watch.ts";

const clients = [
  ["over HTTP", () => httpClient()],
  ["over a WebSocket", () => liveClient()],
] as const;

test.each(clients)("a ConvexError arrives with its data, %s", async (_, connect) => {
  const data: Value = { code: "taken", id: 7n };
  const error = await connect()
    .mutation(api.values.failWithData, { data })
    .catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(ConvexError);
  expect((error as ConvexError<Value>).data).toEqual(data);
});

test.each(clients)("a failed mutation leaves nothing behind, %s", async (_, connect) => {
  const channel = uniqueName();
  await expect(connect().mutation(api.values.writeThenFail, { channel })).rejects.toThrow(ConvexError);
  expect(await httpClient().query(api.messages.list, { channel })).toEqual([]);
});

test.each(clients)("a promise that rejects and is not awaited fails its function, %s", async (_, connect) => {
  const channel = uniqueName();
  const refused = /not awaited|Server Error/;
  await expect(connect().mutation(modules.values.writeAndReject, { channel })).rejects.toThrow(refused);
  expect(await httpClient().query(api.messages.list, { channel })).toEqual([]);
  await expect(connect().query(modules.values.rejectInQuery, {})).rejects.toThrow(refused);
  await expect(connect().action(modules.values.rejectInAction, {})).rejects.toThrow(refused);
});

test.each(clients)("a timer that throws fails its action at once, %s", async (_, connect) => {
  const started = performance.now();
  const called = connect().action(modules.nested.timerThrows, {});
  await expect(called).rejects.toThrow(/thrown by a timer|Server Error/);
  expect(performance.now() - started).toBeLessThan(4_500);
});

test("a message of an error is cut after 64 KiB, and its frames are not", async () => {
  const failed = httpClient().query(api.values.fail, { message: "é".repeat(40_000) });
  const message = await failed.then(() => "it did not fail", String);
  const kept = (65_536 - "Uncaught Error: ".length) / 2;
  expect(message).toMatch(saying(new RegExp(`[^é]é{${kept}}\\n {4}at `)));
});

test.each(clients)("a failed query rejects, %s", async (_, connect) => {
  await expect(connect().query(api.values.fail, { message: "no such luck" })).rejects.toThrow(
    /no such luck|Server Error/,
  );
});

test("a subscription to a failing query gets the error", async () => {
  const error = await watch(liveClient(), api.values.fail, { message: "no such luck" }).untilError();
  expect(error.message).toMatch(/no such luck|Server Error/);
});

test.each([
  ["a missing argument", {}],
  ["a wrong type", { count: "one" }],
  ["an unknown field", { count: 1, extra: true }],
  ["a value outside of the union", { count: 1, tag: "c" }],
])("arguments are validated and refused: %s", async (_, args) => {
  const call = httpClient().query(api.values.strict, args as never);
  await expect(call).rejects.toThrow(/ArgumentValidationError|Server Error/);
});

test("return values are validated", async () => {
  await expect(httpClient().query(api.values.wrongReturn, {})).rejects.toThrow(
    /ReturnsValidationError|Server Error/,
  );
});

test("a mutation cannot be called as a query", async () => {
  await expect(httpClient().query(api.counters.increment as never, { name: "x" } as never)).rejects.toThrow();
});

test.each([
  ["not JSON", "{", 400],
  ["without a path", "{}", 400],
  ["nested too deeply", "[".repeat(50_000), 400],
])("a body that is %s is refused", async (_, body, status) => {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${deployment.url}/api/query`, { method: "POST", headers, body });
  expect(response.status).toBe(status);
  expect(await response.text()).not.toBe("");
});

test("an unknown endpoint is 404", async () => {
  expect((await fetch(`${deployment.url}/api/nothing`, { method: "POST" })).status).toBe(404);
});
