import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { expect, test } from "vitest";
import { modules } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, uniqueName } from "./deployment.ts";
import { saying } from "./expectations.ts";

const { worlds } = modules;

test.each([
  ["query", () => httpClient().query(worlds.count, { salt: uniqueName() })],
  ["mutation", () => httpClient().mutation(worlds.countByMutation, { salt: uniqueName() })],
  ["action", () => httpClient().action(worlds.countByAction, { salt: uniqueName() })],
])("a %s begins with modules that no earlier run has used", async (_, run) => {
  await run();
  expect(await run()).toEqual([1, 1]);
});

test("an HTTP action begins with modules that no earlier run has used", async () => {
  const count = async () => (await fetch(`${deployment.siteUrl}/runs`)).text();
  await count();
  expect(await count()).toBe("1");
});

test("nested runs have modules of their own", async () => {
  expect(await httpClient().mutation(worlds.countNested, { salt: uniqueName() })).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
});

test("a lock that a run keeps holds no other run", async () => {
  await httpClient().mutation(worlds.lockForever);
  expect(await httpClient().mutation(worlds.useLock)).toBe("free");
});

test("a run that replaces globals and built-in functions changes them only for itself", async () => {
  await httpClient().mutation(worlds.harm);
  expect(await httpClient().mutation(worlds.look, { salt: uniqueName() })).toEqual({
    year: true,
    random: true,
    variable: "string",
    fetch: "function",
    ownGlobal: false,
    poison: false,
    map: [2, 4],
  });
});

test("import() works in actions only", async () => {
  expect(await httpClient().action(worlds.importInAction, { salt: uniqueName() })).toBe(0);
  const refused = saying("Can't use import() in queries and mutations");
  await expect(httpClient().query(worlds.importInQuery, { salt: uniqueName() })).rejects.toThrow(refused);
  await expect(httpClient().mutation(worlds.importInMutation, { salt: uniqueName() })).rejects.toThrow(
    refused,
  );
});

test("no text becomes code", async () => {
  const [client, salt] = [httpClient(), { salt: uniqueName() }];
  const names = [
    await client.query(worlds.evaluateInQuery, salt),
    await client.mutation(worlds.evaluateInMutation, salt),
    await client.action(worlds.evaluateInAction, salt),
  ];
  for (const each of names) expect(new Set(Object.values(each))).toEqual(new Set(["EvalError"]));
});

test("modules see the same time and random numbers in all runs while they are loaded", async () => {
  const look = async () => [
    await httpClient().query(worlds.loadedInQuery, { salt: uniqueName() }),
    await httpClient().mutation(worlds.loadedInMutation, { salt: uniqueName() }),
    await httpClient().action(worlds.loadedInAction, { salt: uniqueName() }),
  ];
  const [first, ...others] = [...(await look()), ...(await look())];
  expect(first).toMatchObject({ isLater: true, isDrawnAgain: false });
  for (const each of others) expect(each).toEqual(first);
});

test.each([
  ["mutation", () => httpClient().mutation(worlds.storedInMutation, { salt: uniqueName() })],
  ["action", () => httpClient().action(worlds.storedInAction, { salt: uniqueName() })],
])("a %s has AsyncLocalStorage", async (_, run) => {
  const seen = { one: "one", other: "other", snapshot: "kept", bound: "bound", before: null };
  const expected = { ...seen, entered: "entered", nested: null };
  expect([await run(), await run()]).toEqual([expected, expected]);
});

test("modules may import each other", async () => {
  const read = (name: string) => httpClient().query(makeFunctionReference<"query">(`${name}:read`), {});
  expect(await read("circleA")).toBe("hello circle");
  expect(await read("circleB")).toEqual(["hello circle", "late"]);
});

test("the variables of a deployment are neither listed nor printed", async () => {
  const lines: string[] = [];
  const add = (...parts: unknown[]): void => void lines.push(parts.map(String).join(" "));
  const logger = { log: add, warn: add, error: add, logVerbose: () => undefined };
  const client = new ConvexHttpClient(deployment.url, { logger });
  expect(await client.query(worlds.listedVariables, { salt: uniqueName() })).toEqual([false]);
  // A production deployment does not send its logs to clients.
  if (lines.length > 0) expect(lines.join()).toContain("[process.env]");
});
