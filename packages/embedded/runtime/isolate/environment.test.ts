import type { JSONValue } from "convex/values";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fixture, openFixture, request } from "../runtime.fixture.ts";

const variables: Record<string, string> = { SECRET: "s3cret" };
let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture({ env: () => variables });
});
afterAll(() => fixture.engine.close());

const call = (path: string, args?: JSONValue): Promise<JSONValue> => fixture.call(path, args);

describe("queries and mutations", () => {
  test("queries and mutations see one fixed time", async () => {
    const before = Date.now();
    const { first, again, isDate } = (await call("world:clock")) as {
      first: [number, number, number];
      again: number;
      isDate: boolean;
    };
    expect(first[0]).toBeGreaterThanOrEqual(before);
    expect([first[1], again, isDate]).toEqual([first[0], first[0], true]);
    // `Date()` has no milliseconds.
    expect(first[2]).toBe(Math.floor(first[0] / 1000) * 1000);
  });

  test("each run has its own random numbers", async () => {
    const throws = (await Promise.all(Array.from({ length: 20 }, () => call("world:dice")))) as {
      random: number;
      uuid: string;
      bytes: number[];
    }[];
    expect(new Set(throws.map(({ random }) => random)).size).toBe(20);
    expect(new Set(throws.map(({ bytes }) => bytes.join())).size).toBe(20);
    for (const { random, uuid } of throws) {
      expect(random).toBeGreaterThanOrEqual(0);
      expect(random).toBeLessThan(1);
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  test.each([
    ["fetch", "Can't use fetch() in queries and mutations. Please consider using an action."],
    ["setTimeout", "Can't use setTimeout in queries and mutations. Please consider using an action."],
  ])("queries and mutations may not call %s", async (what, message) => {
    await expect(call("world:forbidden", { what })).rejects.toThrow(message);
  });
});

test("functions cannot reach Node", async () => {
  const globals = (await call("world:forbidden", { what: "list" })) as string[];
  for (const name of ["require", "Buffer", "global", "module", "setImmediate"]) {
    expect(globals).not.toContain(name);
  }
});

test("errors of web APIs tell functions no path of this machine", async () => {
  const stacks = (await call("world:webApiStacks")) as string[];
  expect(stacks).toHaveLength(6);
  for (const stack of stacks) expect(stack).not.toMatch(/node:|file:|packages\/embedded/);
  expect(stacks.join("\n")).toContain("convex/world.ts");
  // The program's own stacks stay as they are.
  expect(new Error("own").stack).toContain("environment.test.ts");
});

test("environment variables are read at each use", async () => {
  expect(await call("world:environment")).toEqual({ secret: "s3cret", names: [], none: null });
  variables["NONE"] = "set later";
  expect(await call("world:environment")).toMatchObject({ none: "set later" });
});

test("console lines have Convex's format", async () => {
  const { logLines } = await fixture.runner.runQuery(request("world:logs"));
  expect(logLines).toEqual([
    "[LOG] 'text' 1 {\n  a: [ true, null ]\n}",
    "[WARN] Map (1) {\n  'k' => 1n\n}",
    "[ERROR] 'bad'",
  ]);
});

test("objects of the web APIs pass instanceof in actions", async () => {
  expect(await call("world:webApis")).toEqual({
    digestIsBuffer: true,
    digest: { $bytes: "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=" },
    json: { list: [1] },
    listIsArray: true,
    failureIsError: true,
    failureIsRangeError: false,
    slept: "slept",
    clone: { a: 1 },
    url: "http://h/x?y=1",
    base64: "aGk=",
  });
});

test("metadata describes the running function", async () => {
  expect(await call("world:metadata")).toEqual({ name: "world:metadata", queries: 0, requestId: "request" });
});
