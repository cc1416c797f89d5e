import type { JSONValue } from "convex/values";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type Fixture, openFixture, request } from "./runtime.fixture.ts";

let fixture: Fixture;
const opened: Fixture[] = [];

beforeEach(async () => {
  fixture = await openFixture();
  opened.push(fixture);
});
afterAll(async () => {
  for (const { engine } of opened) await engine.close();
});

const call = (path: string, args?: JSONValue): Promise<JSONValue> => fixture.call(path, args);
const addNote = (text: string, rank: number): Promise<JSONValue> => call("notes:add", { text, rank });
const textsOf = (notes: JSONValue): string[] => (notes as { text: string }[]).map(({ text }) => text);

describe("reading", () => {
  beforeEach(async () => {
    for (let rank = 0; rank < 6; rank += 1) await addNote(`n${rank}`, rank);
  });

  test("an index range is read in both orders", async () => {
    expect(textsOf(await call("notes:byRank", { from: 1, to: 4 }))).toEqual(["n1", "n2", "n3"]);
    expect(textsOf(await call("notes:byRank", { from: 1, to: 4, order: "desc" }))).toEqual([
      "n3",
      "n2",
      "n1",
    ]);
  });

  test("filters select documents", async () => {
    expect(textsOf(await call("notes:even"))).toEqual(["n0", "n2", "n4"]);
  });

  test("a loop that stops early reads no further documents", async () => {
    const run = await fixture.runner.runQuery(request("notes:firstTwo"));
    expect(run.outcome).toEqual({ kind: "success", value: ["n0", "n1"] });
    let isInvalidated = false;
    fixture.engine.subscribe(run.readSet, run.ts, () => (isInvalidated = true));
    await addNote("later", 5);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isInvalidated).toBe(false);
    await addNote("earlier", -1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isInvalidated).toBe(true);
  });
});

describe("writing", () => {
  test("patch changes some fields and removes undefined ones", async () => {
    const id = await addNote("old", 1);
    expect(await call("notes:patchText", { id, text: "new" })).toMatchObject({
      _id: id,
      text: "new",
      rank: 1,
    });
  });

  test("replace changes all fields, and delete removes the document", async () => {
    const id = await addNote("old", 1);
    await call("notes:replaceWith", { id, value: { text: "whole", rank: 2 } });
    expect(await call("notes:get", { id })).toMatchObject({ text: "whole", rank: 2 });
    await call("notes:remove", { id });
    expect(await call("notes:get", { id })).toBeNull();
    await expect(call("notes:remove", { id })).rejects.toThrow(
      `Delete on nonexistent document ID ${id as string}`,
    );
  });

  test.each<[string, JSONValue, RegExp]>([
    [
      "the schema",
      { text: "no rank" },
      /in table "notes" because it does not match the schema: Object is missing/,
    ],
    [
      "system fields",
      { text: "x", rank: 1, _id: "other" },
      /Provided document ID .* doesn't match '_id' field/,
    ],
    ["the size of a document", { text: "x".repeat(2 ** 20), rank: 1 }, /Value is too large \(1\.00 MiB/],
    ["the type", 5, /Invalid argument `value` for `db\.replace`: Value must be an Object/],
  ])("a write that violates %s is refused", async (_, value, message) => {
    const id = await addNote("old", 1);
    await expect(call("notes:replaceWith", { id, value })).rejects.toThrow(message);
    expect(await call("notes:get", { id })).toMatchObject({ text: "old" });
  });
});

describe("who may call what", () => {
  const missing = "Could not find public function for";

  test("internal functions exist only for the admin", async () => {
    await expect(call("notes:hidden")).rejects.toThrow(`${missing} 'notes:hidden'. Did you forget to run`);
    await expect(call("notes:none")).rejects.toThrow(`${missing} 'notes:none'`);
    await expect(call("")).rejects.toThrow(missing);
    expect(await fixture.call("notes:hidden", {}, { kind: "admin" })).toEqual(expect.any(String));
  });

  test("paths may contain .js, and a default export needs no name", async () => {
    expect(await call("folder/deep.js:hello")).toBe("hello from a folder");
    expect(await call("folder/deep")).toBe("the default");
  });

  test("a mutation does not run as a query", async () => {
    const { outcome } = await fixture.runner.runQuery(request("notes:add", {}));
    expect(outcome).toEqual({
      kind: "failure",
      message:
        "[Request ID: request] Server Error\nTrying to execute notes.js:add as Query, but it is defined as Mutation.",
    });
  });

  test("a function sees the claims of its user", async () => {
    expect(await call("world:whoAmI")).toBeNull();
    const attributes = { subject: "ada", issuer: "https://issuer.example" };
    expect(await fixture.call("world:whoAmI", {}, { kind: "user", attributes })).toEqual(attributes);
  });
});

describe("arguments and results", () => {
  test.each<[JSONValue, RegExp]>([
    [{ text: "x" }, /ArgumentValidationError: Object is missing the required field `rank`/],
    [[], /ArgumentValidationError: Expected to receive an object as the function's argument/],
    [{ text: { $integer: "nonsense" }, rank: 1 }, /Invalid arguments for notes\.js:add: Malformed \$integer/],
  ])("the arguments %j are refused", async (args, message) => {
    await expect(call("notes:add", args)).rejects.toThrow(message);
  });

  test("a result that violates its validator is refused", async () => {
    await expect(call("notes:wrongReturn")).rejects.toThrow(
      "ReturnsValidationError: Value does not match validator.\n\nValue: 5.0\nValidator: v.string()",
    );
  });
});

describe("errors", () => {
  test("an error has the developer's file and line, and the lines logged before", async () => {
    const { outcome, logLines } = await fixture.runner.runQuery(request("notes:fail", { kind: "plain" }));
    expect(outcome).toMatchObject({ kind: "failure" });
    expect((outcome as { message: string }).message).toMatch(
      /^\[Request ID: request\] Server Error\nUncaught Error: it broke\n {4}at handler \(\.\.\/convex\/notes\.ts:\d+:\d+\)$/,
    );
    expect(logLines).toEqual(["[LOG] 'about to fail' {\n  kind: 'plain'\n}"]);
  });

  const data = { at: { $integer: "AwAAAAAAAAA=" }, code: "teapot" };

  test("a ConvexError carries its data, also through an action", async () => {
    const direct = await fixture.runner.runQuery(request("notes:fail", { kind: "convex" }));
    expect(direct.outcome).toMatchObject({ kind: "failure", data });
    const relayed = await fixture.runner.runAction(request("acting:relayFailure"));
    expect(relayed.outcome).toMatchObject({ kind: "failure", data });
    expect(relayed.logLines).toEqual(["[LOG] 'about to fail' {\n  kind: 'convex'\n}"]);
  });

  test("an unknown syscall is refused by name", async () => {
    await expect(call("world:unknownSyscall")).rejects.toThrow("Unknown async operation 1.0/teleport");
    await expect(call("world:storage")).rejects.toThrow("Invalid storage ID");
  });
});

describe("functions that call functions", () => {
  test("only a failing nested mutation is rolled back", async () => {
    expect(await call("nesting:survivor")).toEqual({
      problem: expect.stringMatching(/^Uncaught Error: inner failed\n {4}at handler/),
      texts: ["outer"],
    });
  });

  test("concurrent nested calls take turns", async () => {
    expect(await call("nesting:sideBySide")).toBe(3);
  });

  test("actions call queries, mutations and actions", async () => {
    expect(await call("acting:roundTrip", { text: "hey" })).toBe("HEY");
  });
});

test.each([
  ["ctx.auth.signJwt()", "world:signs", {}],
  ["log.audit()", "world:audits", {}],
  ["getServiceUrl()", "world:asksForService", { what: "url" }],
  ["getServiceToken()", "world:asksForService", { what: "token" }],
])("%s fails because it is not supported", async (name, path, args) => {
  await expect(call(path, args)).rejects.toThrow(`${name} is not supported by the embedded backend`);
});

test("the function specs list every function with its validators", () => {
  const specs = fixture.runner.functionSpecs();
  expect(specs.find(({ identifier }) => identifier === "notes.js:add")).toEqual({
    identifier: "notes.js:add",
    functionType: "Mutation",
    visibility: "public",
    args: {
      type: "object",
      value: {
        text: { fieldType: { type: "string" }, optional: false },
        rank: { fieldType: { type: "number" }, optional: false },
      },
    },
    returns: { type: "id", tableName: "notes" },
  });
  expect(fixture.runner.authConfig).toMatchObject({ providers: [{ applicationID: "fixture" }] });
});
