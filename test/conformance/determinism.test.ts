import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { expect, onTestFinished, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, liveClient, uniqueName } from "./deployment.ts";
import { saying } from "./expectations.ts";

const { world, things } = modules;

test("a mutation's clock does not advance and is near the real time", async () => {
  const { times } = await httpClient().mutation(world.looks, {});
  expect(new Set(times).size).toBe(1);
  expect(Math.abs(times[0]! - Date.now())).toBeLessThan(60_000);
});

test("random numbers differ within a run and between runs", async () => {
  const [a, b] = [await httpClient().mutation(world.looks, {}), await httpClient().mutation(world.looks, {})];
  const randoms = [...a.randoms, ...b.randoms];
  expect(new Set(randoms).size).toBe(6);
  expect(randoms.every((n) => n >= 0 && n < 1)).toBe(true);
});

test.each([
  ["a query", () => httpClient().query(world.measuresInQuery, {})],
  ["an action", () => httpClient().action(world.measuresInAction, {})],
])("performance has marks and measures, and each run its own: %s", async (_, run) => {
  await run();
  expect(await run()).toEqual({
    entries: ["mark begin", "mark end", "measure both", "measure rest", "measure whole"],
    both: { name: "both", entryType: "measure", startTime: 2, duration: 10, detail: "why" },
    rest: 12,
    whole: 3,
    detail: { step: 1 },
    classes: true,
    left: ["end"],
    errors: [
      'Cannot find mark: "missing"',
      "Cannot construct PerformanceMark: startTime cannot be negative, received -1",
      'Cannot specify "start", "end", and "duration" together in options',
      "Illegal constructor",
    ],
  });
});

const refusal = (what: string) =>
  `Can't use ${what} in queries and mutations. Please consider using an action.`;

test("queries have no network", async () => {
  expect(await httpClient().query(world.fetches, {})).toContain(refusal("fetch()"));
});

test("an address of fetch may have a user and a password", async () => {
  const basic = `Basic ${btoa("user:p@ss")}`;
  const { siteUrl: site } = deployment;
  expect(await httpClient().action(world.fetchesAsUser, { site })).toEqual([basic, basic, "own"]);
});

test.each([
  ["setTimeout", false],
  ["setTimeout", true],
  ["setInterval", false],
  ["setInterval", true],
] as const)("%s fails a query and a mutation, whatever they catch; waited for: %s", async (name, waits) => {
  const client = httpClient();
  const channel = uniqueName();
  const words = saying(refusal(name));
  await expect(client.query(world.timerInQuery, { name, waits })).rejects.toThrow(words);
  await expect(client.mutation(world.timerInMutation, { name, waits, channel })).rejects.toThrow(words);
  expect(await client.query(api.messages.list, { channel })).toEqual([]);
});

function collector() {
  const lines: string[] = [];
  const add = (...parts: unknown[]): void => void lines.push(parts.map(String).join(" "));
  return { lines, logger: { log: add, warn: add, error: add, logVerbose: () => undefined } };
}

test.each(["over HTTP", "over a WebSocket"])("a function's log lines reach its client %s", async (way) => {
  const { lines, logger } = collector();
  const client =
    way === "over HTTP"
      ? new ConvexHttpClient(deployment.url, { logger })
      : new ConvexClient(deployment.url, { logger, unsavedChangesWarning: false });
  onTestFinished(async () => {
    if (client instanceof ConvexClient) await client.close();
  });
  await client.query(world.logs, { text: "hello there" });
  // A production deployment does not send its logs to clients.
  if (!lines.some((line) => line.includes("CONVEX"))) return;
  const all = lines.join("\n");
  expect(all).toContain("hello there");
  expect(all).toContain("careful");
  expect(all).toContain("broken");
});

test("a function that reads too many ranges is refused, and one that reads a range often is not", async () => {
  const owner = uniqueName();
  await expect(httpClient().query(world.manyReads, { owner, distinct: true })).rejects.toThrow(
    saying(/Too many reads in a single function execution/),
  );
  expect(await httpClient().query(world.manyReads, { owner, distinct: false })).toBeNull();
});

test("a document that is too large is refused", async () => {
  const owner = uniqueName();
  const insert = (bytes: number) => httpClient().mutation(world.bigDocument, { owner, bytes });
  await expect(insert(1024 * 1024 + 1)).rejects.toThrow(saying(/Value is too large/));
  await insert(1024 * 1024 - 1024);
  expect(await httpClient().query(things.range, { owner, bounds: [] })).toHaveLength(1);
});

test("a document that is nested too deeply is refused", async () => {
  const owner = uniqueName();
  await expect(httpClient().mutation(world.deepValue, { owner, depth: 20 })).rejects.toThrow(
    saying(/too (?:deeply )?nested/),
  );
  await httpClient().mutation(world.deepValue, { owner, depth: 10 });
});

test.each([
  ["HTTP", httpClient],
  ["a WebSocket", liveClient],
])("arguments over %s are accepted up to the limit", async (_, connect) => {
  const client = connect();
  const measure = (value: ArrayBuffer | string) => client.mutation(world.measure, { value });
  // In base64, that is more than the limit.
  expect(await measure(new ArrayBuffer(13_000_000))).toBe(13_000_000);
  const refused = expect(measure("x".repeat(17_000_000))).rejects.toThrow(
    saying(/Arguments for world.js:measure are too large/),
  );
  const next = measure("next");
  await refused;
  expect(await next).toBe(4);
});

test("a result that is too large is refused", async () => {
  await expect(httpClient().action(world.bigReturn, { mebibytes: 17 })).rejects.toThrow(
    saying(/return value is too large|too large/),
  );
});

test("a query that awaits a promise that never resolves is ended", async () => {
  await expect(httpClient().query(world.endless, {})).rejects.toThrow(
    saying(/timed out|never resolve|unresolved|dangling/i),
  );
});

test("an endless query is ended, and other calls are answered meanwhile", async () => {
  await expect(httpClient().query(world.spins, {})).rejects.toThrow(saying(/timed out/));
  expect(await httpClient().query(things.range, { owner: uniqueName(), bounds: [] })).toEqual([]);
});
