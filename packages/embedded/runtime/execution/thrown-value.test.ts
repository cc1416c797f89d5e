import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openEngine } from "../../engine/engine.ts";
import { bundleFunctions } from "../bundle/bundle.ts";
import { createFunctionRuntime } from "../create-function-runtime.ts";
import { type Fixture, openFixture, request } from "../runtime.fixture.ts";

let fixture: Fixture | null = null;

afterEach(async () => {
  await fixture?.engine.close();
});

const plain = /^\[Request ID: request\] Server Error\nUncaught /;
const timeout = "Function execution timed out (maximum duration: 1s)";

describe.each(["inQuery", "inMutation", "inAction"])("%s", (name) => {
  test.each([
    ["nothing", "Uncaught [object Object]"],
    ["groups", "Uncaught [object Object]"],
    ["toString", "Uncaught [object Object]"],
    ["endlessString", "Uncaught [object Object]"],
    ["plain", "Uncaught #<Object>"],
    ["ofClass", "Uncaught #<Odd>"],
    ["list", "Uncaught [object Array]"],
    ["symbol", "Uncaught Symbol(odd)"],
    ["proxy", "Uncaught Error: not to be read"],
    ["behindProxy", "Uncaught Error: not to be read"],
    ["message", "Uncaught Error"],
    ["stack", "Uncaught Error: said"],
    ["data", "Uncaught Error: "],
  ])("an unreadable thrown value is an ordinary failure: %s", async (way, message) => {
    const { runner } = (fixture = await openFixture());
    const { outcome } = await runner.runAny(request(`thrown:${name}`, { way }));
    expect(outcome).toMatchObject({ kind: "failure", message: expect.stringMatching(plain) });
    expect(outcome.kind === "failure" && outcome.message).toContain(message);
  });
});

test.each(["endlessStack", "endlessProxy"])(
  "a thrown value that takes forever to read times out: %s",
  async (way) => {
    const { call } = (fixture = await openFixture());
    await expect(call("thrown:inQuery", { way })).rejects.toThrow(timeout);
    expect(await call("careless:works", { ms: 1 })).toBeTypeOf("number");
  },
);

test("a thrown value whose stack takes forever to format times out", async () => {
  const { call } = (fixture = await openFixture());
  await expect(call("thrown:preparesEndlessly")).rejects.toThrow(timeout);
});

test("a function that formats stacks sees no path of the backend or the machine", async () => {
  const { call } = (fixture = await openFixture());
  const told = (await call("thrown:readsSites")) as readonly string[];
  expect(told.length).toBeGreaterThan(0);
  expect(told.filter((each) => /file:|node:|packages|node_modules|processTicks/.test(each))).toEqual([]);
});

test("a function that replaces the methods of lists sees no call site that the backend formats", async () => {
  const { call } = (fixture = await openFixture());
  expect(await call("thrown:overhearsLists")).toEqual({
    stack: expect.stringContaining("convex/thrown.ts:") as string,
    heard: [],
  });
});

test("a long error message is cut, but its frames are not", async () => {
  const { runner } = (fixture = await openFixture());
  const { outcome } = await runner.runAny(request("thrown:inQuery", { way: "long" }));
  if (outcome.kind !== "failure") throw new Error("It succeeded.");
  expect(outcome.message.length).toBeLessThan(67_000);
  expect(outcome.message).toMatch(/x\n {4}at .*thrown\.ts:/);
});

test("an error whose message was replaced after its stack was read keeps its frames", async () => {
  const { call } = (fixture = await openFixture());
  await expect(call("thrown:inQuery", { way: "renamed" })).rejects.toThrow(/: x{500}\n {4}at .*thrown\.ts:/);
});

test.each([
  ["an unreadable value", "throw Object.create(null);", /could not be loaded: Uncaught \[object Object\]/],
  [
    "a value that takes forever to read",
    'throw Object.defineProperty(new Error("x"), "stack", { get() { for (;;); } });',
    /could not be loaded: Uncaught an error that cannot be read/,
  ],
])("a module that throws %s is not loaded", async (_, code, message) => {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-thrown-"));
  const engine = openEngine({ path: ":memory:" });
  try {
    await writeFile(join(folder, "a.ts"), code);
    const outcome = await bundleFunctions(folder);
    if (outcome.kind === "failed") throw new Error(outcome.message);
    expect(() => createFunctionRuntime({ bundle: outcome.bundle, engine })).toThrow(message);
  } finally {
    await engine.close();
    await rm(folder, { recursive: true });
  }
});
