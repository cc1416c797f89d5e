import type { JSONValue } from "convex/values";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fixture, openFixture, request } from "../runtime.fixture.ts";
import { formatBytes } from "./format-bytes.ts";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.engine.close());

type Case = readonly [title: string, path: string, args: JSONValue, refusal: string | null];

const mib = 2 ** 20;
const stored = (kind: string, size: number, field = "value"): JSONValue => ({ kind, size, field });

/** Each limit twice: the largest allowed value, and the smallest refused one with Convex's message. */
const cases: readonly Case[] = [
  ["a document of 1 MiB", "limits:stores", stored("long", mib - 61 - 2 - 6 - 2), null],
  [
    "a document of more than 1 MiB",
    "limits:stores",
    stored("long", mib),
    "Value is too large (1.00 MiB > maximum size 1 MiB)",
  ],
  ["1,024 fields", "limits:stores", stored("wide", 1_024), null],
  [
    "1,025 fields",
    "limits:stores",
    stored("wide", 1_025),
    "Object has too many fields (1025 > maximum number 1024)",
  ],
  ["16 levels of a document", "limits:stores", stored("nested", 15), null],
  [
    "17 levels of a document",
    "limits:stores",
    stored("nested", 16),
    "Document is too nested (nested 17 levels deep > maximum nesting 16)",
  ],
  ["an array of 8,192", "limits:stores", stored("array", 8_192), null],
  [
    "an array of 8,193",
    "limits:stores",
    stored("array", 8_193),
    "Array length is too long (8193 > maximum length 8192)",
  ],
  ["a field name of 1,024 characters", "limits:stores", stored("key", 1_024), null],
  [
    "a field name of 1,025 characters",
    "limits:stores",
    stored("key", 1_025),
    "exceeds maximum field name length 1024",
  ],
  [
    "a system field",
    "limits:stores",
    stored("long", 1, "_mine"),
    "Field '_mine' starts with an underscore, which is only allowed for system fields like '_id'",
  ],
  ["a nested field with an underscore", "limits:stores", stored("inner", 1), null],
  ["a reserved field", "limits:stores", stored("long", 1, "$mine"), "starts with a '$', which is reserved"],
  ["a table name of 64 characters", "limits:storesIn", { table: "t".repeat(64) }, null],
  [
    "a table name of 65 characters",
    "limits:storesIn",
    { table: "t".repeat(65) },
    "Invalid argument `table` for `db.insert`: Identifier is too long (65 > maximum 64)",
  ],
  [
    "a table name with a digit first",
    "limits:storesIn",
    { table: "1a" },
    "Invalid first character '1' in 1a: Identifiers must start with an alphabetic character or underscore",
  ],
  [
    "a table name with a dash",
    "limits:storesIn",
    { table: "a-b" },
    "Identifier a-b has invalid character '-': Identifiers can only contain alphanumeric characters or underscores",
  ],
  [
    "a system table",
    "limits:storesIn",
    { table: "_mine" },
    "System tables (prefixed with `_`) are read-only.",
  ],
  ["an argument of 63 levels", "limits:passes", { kind: "nested", size: 62 }, null],
  [
    "an argument of 64 levels",
    "limits:passes",
    { kind: "nested", size: 63 },
    "Invalid arguments for limits.js:echo: Value is too nested (nested 65 levels deep > maximum nesting 64)",
  ],
  ["arguments of 15 MiB", "limits:passes", { kind: "strings", size: 15 }, null],
  [
    "arguments of more than 16 MiB",
    "limits:passes",
    { kind: "strings", size: 16 },
    "Arguments for limits.js:echo are too large (actual: 16.00 MiB, limit: 16 MiB)",
  ],
  ["a returned value of 64 levels", "limits:returns", { kind: "nested", size: 64 }, null],
  [
    "a returned value of 65 levels",
    "limits:returns",
    { kind: "nested", size: 65 },
    "Value is too nested (nested 65 levels deep > maximum nesting 64)",
  ],
  ["15 MiB returned", "limits:returns", { kind: "strings", size: 15 }, null],
  [
    "more than 16 MiB returned",
    "limits:returns",
    { kind: "strings", size: 16 },
    "Function limits.js:returns return value is too large (actual: 16.00 MiB, limit: 16 MiB)",
  ],
  ["4,096 ranges read", "limits:asks", { times: 4_096, distinct: true }, null],
  [
    "one more",
    "limits:asks",
    { times: 4_097, distinct: true },
    "Too many reads in a single function execution (limit: 4096).",
  ],
  ["9,000 queries of one range", "limits:asks", { times: 9_000, distinct: false }, null],
  ["writes after those of nested mutations that failed", "limits:storesAfterFailures", { times: 3 }, null],
  ["16,000 writes", "limits:storesMany", { count: 16_000, bytes: 1 }, null],
  [
    "one more",
    "limits:storesMany",
    { count: 16_001, bytes: 1 },
    "Too many writes in a single function execution (limit: 16000)",
  ],
  [
    "more than 16 MiB written",
    "limits:storesMany",
    { count: 17, bytes: mib - 100 },
    "Too many bytes written in a single function execution (limit: 16777216 bytes)",
  ],
  ["1,000 functions scheduled", "limits:schedules", { count: 1_000, bytes: 1 }, null],
  [
    "one more",
    "limits:schedules",
    { count: 1_001, bytes: 1 },
    "Too many functions scheduled by this mutation (limit: 1000)",
  ],
  [
    "16 MiB of scheduled arguments",
    "limits:schedules",
    { count: 17, bytes: mib },
    "Too large total size of the arguments of scheduled functions from this mutation (limit: 16777216 bytes)",
  ],
  ["calls 8 levels deep", "limits:deeper", { levels: 8 }, null],
  [
    "one more",
    "limits:deeper",
    { levels: 9 },
    "Cross component call depth limit exceeded. Do you have an infinite loop in your app?",
  ],
  ["1,000 operations at once", "limits:atOnce", { operations: 1_000 }, null],
  [
    "one more",
    "limits:atOnce",
    { operations: 1_001 },
    "Too many concurrent operations in a single function execution (limit: 1000)",
  ],
];

describe("work that a mutation did not await", () => {
  test("it runs to its end, and its writes commit with the others", async () => {
    expect(await fixture.call("limits:leavesWork", { text: "left behind" })).toBe("left");
    expect(await fixture.call("limits:noted", { start: "left behind" })).toEqual([
      "left behind 1",
      "left behind 2",
    ]);
  });

  test("it may wait for operations that are not syscalls", async () => {
    expect(await fixture.call("limits:leavesDigest", {})).toBe("left");
    expect(await fixture.call("limits:noted", { start: "digest" })).toEqual(["digest 1", "digest 2"]);
  });

  test("its error fails the mutation, so that nothing commits", async () => {
    const { outcome } = await fixture.runner.runMutation(request("limits:leavesFailure"));
    expect(outcome).toMatchObject({ kind: "failure", data: { code: "half" } });
    expect(await fixture.call("limits:noted", { start: "half" })).toEqual([]);
  });

  test("it ends when the mutation itself fails, with the mutation's error", async () => {
    const { outcome } = await fixture.runner.runMutation(request("limits:failsBesideWork"));
    expect(outcome).toMatchObject({ kind: "failure", data: { code: "beside" } });
    expect(await fixture.call("limits:noted", { start: "beside" })).toEqual([]);
  });

  test("it counts for the time limit, and nothing commits beyond it", async () => {
    await expect(fixture.call("limits:leavesEndlessWork", {})).rejects.toThrow(
      "Function execution timed out",
    );
    expect(await fixture.call("limits:noted", { start: "endless" })).toEqual([]);
  });
});

describe("limits", () => {
  test.each(cases)("the limits hold for %s", async (_, path, args, refusal) => {
    const called = fixture.call(path, args);
    if (refusal === null) await expect(called).resolves.toBeDefined();
    else await expect(called).rejects.toThrow(refusal);
  });

  test("32,000 documents are read, and no more", async () => {
    const { call, engine } = await openFixture();
    // On a slow machine 16,000 would take a mutation longer than a second.
    for (let i = 0; i < 8; i += 1) await call("limits:storesMany", { count: 4_000, bytes: 1 });
    expect(await call("limits:reads")).toBe(32_000);
    await call("limits:storesMany", { count: 1, bytes: 1 });
    // As in Convex, a count reads no documents.
    expect(await call("limits:counts")).toBe(32_001);
    await expect(call("limits:reads")).rejects.toThrow(
      "Too many documents read in a single function execution (limit: 32000). Consider using smaller limits",
    );
    await engine.close();
  });

  test("16 MiB are read, and no more", async () => {
    const { call, engine } = await openFixture();
    for (let i = 0; i < 2; i += 1) await call("limits:storesMany", { count: 8, bytes: mib - 100 });
    expect(await call("limits:reads")).toBe(16);
    await call("limits:storesMany", { count: 1, bytes: 2_000 });
    await expect(call("limits:reads")).rejects.toThrow(
      "Too many bytes read in a single function execution (limit: 16777216 bytes).",
    );
    await engine.close();
  });

  test("at most 256 lines are logged, and the last says that lines are missing", async () => {
    const linesOf = async (lines: number, bytes: number) =>
      (await fixture.runner.runQuery(request("limits:logs", { lines, bytes }))).logLines;
    expect(await linesOf(255, 2)).toHaveLength(255);
    const overflowed = await linesOf(1_000, 2);
    expect(overflowed).toHaveLength(256);
    expect(overflowed[255]).toBe("[ERROR] Log overflow (maximum 256). Remaining log lines omitted.");
    const [line = ""] = await linesOf(1, 40_000);
    expect(line).toMatch(/^\[LOG\] 'é+ \(truncated due to length\)$/);
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(32_768);
    expect(Buffer.byteLength(line)).toBeGreaterThan(32_760);
  });
});

test.each([
  [0, "0 B"],
  [1_023, "1023 B"],
  [1_024, "1 KiB"],
  [16 * mib, "16 MiB"],
  [16.5 * mib, "16.50 MiB"],
])("%d bytes are written as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
