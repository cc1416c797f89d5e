import { scryptSync } from "node:crypto";
import type { Value } from "convex/values";
import { expect, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, liveClient, uniqueName } from "./deployment.ts";

const clients = [
  ["over HTTP", () => httpClient()],
  ["over a WebSocket", () => liveClient()],
] as const;

async function post(path: string, body: unknown): Promise<unknown> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${deployment.url}/api/${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return response.json();
}

/** Increments a counter. A busy backend may use up its retries; then nothing is written, and the call is repeated. */
async function increment(name: string): Promise<number> {
  for (;;) {
    try {
      return await httpClient().mutation(api.counters.increment, { name });
    } catch (error) {
      if (!String(error).includes("OptimisticConcurrencyControlFailure")) throw error;
    }
  }
}

test.each(clients)("written documents are read back, %s", async (_, connect) => {
  const client = connect();
  const channel = uniqueName();
  await client.mutation(api.messages.send, { channel, body: "one", n: 1 });
  await client.mutation(api.messages.send, { channel, body: "two", n: 2 });
  expect(await client.query(api.messages.list, { channel })).toEqual(["one", "two"]);
});

test.each(clients)("every kind of value round-trips, %s", async (_, connect) => {
  const value: Value = {
    int: -(2n ** 63n),
    float: 1e300,
    nan: NaN,
    negativeZero: -0,
    bytes: new Uint8Array([0, 255, 7]).buffer,
    nested: [{ deep: [null, true, "ü🙂\u0000"] }],
  };
  const back = await connect().query(api.values.echo, { value });
  expect(back).toEqual(value);
});

test.each(clients)("an action calls mutations and queries, %s", async (_, connect) => {
  const name = uniqueName();
  expect(await connect().action(api.counters.incrementTwice, { name })).toBe(2);
});

test("a mutation has time to hash a password in pure JavaScript", async () => {
  const [password, salt] = ["correct horse", uniqueName()];
  const cost = { N: 16_384, r: 16, maxmem: 64 * 1_024 * 1_024 };
  const hash = scryptSync(password, salt, 64, cost).toString("hex");
  expect(await httpClient().mutation(modules.passwords.hash, { password, salt })).toBe(hash);
});

test("values are plain JSON for clients in other languages", async () => {
  const value = { $integer: "BwAAAAAAAAA=" };
  expect(await post("query", { path: "values:echo", args: { value }, format: "json" })).toMatchObject({
    status: "success",
    value: "7",
  });
  expect(await post("run/values/strict", { args: { count: 41 }, format: "json" })).toMatchObject({
    status: "success",
    value: 42,
  });
});

test("queries at one timestamp do not see later writes", async () => {
  const name = uniqueName();
  const { ts } = (await post("query_ts", {})) as { ts: string };
  const valueAtTs = () => post("query_at_ts", { path: "counters:get", args: { name }, ts });
  expect(await valueAtTs()).toMatchObject({ status: "success", value: 0 });
  await httpClient().mutation(api.counters.increment, { name });
  expect(await valueAtTs()).toMatchObject({ status: "success", value: 0 });
  expect(await httpClient().query(api.counters.get, { name })).toBe(1);
});

test("concurrent increments are all counted", async () => {
  const name = uniqueName();
  const results = await Promise.all(Array.from({ length: 20 }, () => increment(name)));
  expect(results.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  expect(await httpClient().query(api.counters.get, { name })).toBe(20);
});

test("functions know their deployment's URL", async () => {
  const read = (name: string) => httpClient().query(api.values.environment, { name });
  expect(await read("CONVEX_CLOUD_URL")).toBe(deployment.url);
  expect(await read("CONVEX_SITE_URL")).toBe(deployment.siteUrl);
  expect(await read("PATH")).toBeNull();
});

test("a page from another origin may call functions", async () => {
  const preflight = await fetch(`${deployment.url}/api/query`, {
    method: "OPTIONS",
    headers: {
      Origin: "https://app.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "content-type,convex-client",
    },
  });
  expect(preflight.ok).toBe(true);
  expect(["*", "https://app.example"]).toContain(preflight.headers.get("access-control-allow-origin"));
  expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("convex-client");
});

test.each(["/version", "/instance_name"])("GET %s is answered", async (path) => {
  const response = await fetch(deployment.url + path);
  expect([response.status, (await response.text()).length > 0]).toEqual([200, true]);
});
