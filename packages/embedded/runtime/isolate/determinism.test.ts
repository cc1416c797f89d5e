import type { JSONValue } from "convex/values";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fixture, openFixture } from "../runtime.fixture.ts";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.engine.close());

const call = (path: string, args?: JSONValue): Promise<JSONValue> => fixture.call(path, args);

test.each<[string, JSONValue]>([
  ["timeZone", "UTC"],
  ["localTime", 0],
  ["dateString", "2/10/1970, 12:00:00 AM"],
  ["locale", "en-US"],
  ["number", "1,234,567.891"],
  ["compare", "aäz"],
  ["lastMatch", null],
  ["weakRef", true],
  ["finalizer", null],
  ["intl", false],
  ["clone", [true, true, true]],
  ["formData", "c.txt"],
  ["abort", "why"],
  ["events", "x"],
  ["url", ["1", "2"]],
  ["headers", ["a", "1", "b", "2"]],
  ["text", "ü"],
  ["base64", "hi"],
  ["wasm", "object"],
  ["objectUrl", "undefined"],
  ["dateFormat", [true, true, true, true, 2, "00:00.000"]],
  ["file", [true, true, "text/plain", 7, true]],
  ["error", "AbortError"],
])("the isolate's %s is %j", async (what, expected) => {
  const seen = await call("determinism:look", { what });
  // `Intl` writes narrow spaces.
  expect(typeof seen === "string" ? seen.replaceAll("\u202f", " ") : seen).toEqual(expected);
});

test("the isolate has Convex's globals and none of Node's", async () => {
  const globals = (await call("determinism:globals")) as string[];
  const expected = [
    ..."AbortController AbortSignal Blob Crypto CryptoKey DOMException Event EventTarget File FormData Headers".split(
      " ",
    ),
    ..."Intl ReadableStream Request Response SubtleCrypto TextDecoder TextEncoder TransformStream URL".split(
      " ",
    ),
    ..."URLSearchParams WritableStream atob btoa clearInterval clearTimeout console crypto fetch performance".split(
      " ",
    ),
    ..."process queueMicrotask self setInterval setTimeout structuredClone WeakRef FinalizationRegistry".split(
      " ",
    ),
  ];
  expect(globals).toEqual(expect.arrayContaining(expected));
  const nodes =
    "Buffer global require module exports __dirname setImmediate clearImmediate navigator gc".split(" ");
  expect(globals.filter((name) => nodes.includes(name))).toEqual([]);
});

describe("clocks", () => {
  const clocksOf = async (kind: string) => {
    const [before = 0, date = 0, after = 0, again = 0, origin = 0] = (await call(
      `determinism:${kind}Clocks`,
    )) as number[];
    expect(Math.abs(origin + before - date)).toBeLessThan(1_000);
    return { passed: after - before, moved: again - date, tenths: after * 10 };
  };

  test("clocks do not advance in a query", async () => {
    expect(await clocksOf("query")).toMatchObject({ passed: 0, moved: 0 });
  });

  test("performance.now() advances in a mutation, while its date does not", async () => {
    const { passed, moved, tenths } = await clocksOf("mutation");
    expect(passed).toBeGreaterThan(0);
    expect(moved).toBe(0);
    expect(tenths).toBeCloseTo(Math.round(tenths), 3);
  });

  test("times are marked from the transaction's time on, also in nested calls and in many queries at once", async () => {
    const fromStart = { start: 0, sinceTransaction: 0 };
    expect(await call("determinism:marksNested", { calls: 8 })).toEqual(Array(9).fill(fromStart));
    const queries = Array.from({ length: 8 }, () => call("determinism:marks"));
    expect(await Promise.all(queries)).toEqual(Array(8).fill(fromStart));
  });

  test("clocks advance in an action", async () => {
    const { passed, moved } = await clocksOf("action");
    expect(passed).toBeGreaterThan(4);
    expect(moved).toBeGreaterThan(3);
  });
});

describe("cryptography in a query", () => {
  test("cryptography with repeatable results works in a query", async () => {
    const done = { valid: true, digest: 20, isCrypto: true };
    expect(await call("determinism:cryptography", { what: "sign" })).toEqual(done);
  });

  test("signs by Ed25519 and verifies it, as the second test vector of RFC 8032 wants", async () => {
    const seed = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
    const publicKey = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
    const pkcs8 = `302e020100300506032b657004220420${seed}`;
    expect(await call("determinism:ed25519", { pkcs8, publicKey, text: "r" })).toEqual({
      signature:
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" +
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
      x: Buffer.from(publicKey, "hex").toString("base64url"),
      valid: true,
      changed: false,
      short: false,
    });
  });

  test.each([
    ["generateKey", "Can't use cryptographic randomness in queries and mutations."],
    ["floats", "The provided ArrayBufferView is not an integer array type"],
  ])("a query may not use the cryptography of %s", async (what, message) => {
    await expect(call("determinism:cryptography", { what })).rejects.toThrow(message);
  });
});

test("timers may be canceled even in queries, which cannot set them", async () => {
  expect(await call("determinism:canceledTimers")).toBe("fine");
  await expect(call("determinism:interval")).rejects.toThrow(
    "Can't use setInterval in queries and mutations. Please consider using an action. " +
      "See https://docs.convex.dev/functions/actions for more details.",
  );
  await expect(call("determinism:signal")).rejects.toThrow(
    "Can't use AbortSignal.timeout in queries and mutations.",
  );
  await expect(call("determinism:waits")).rejects.toThrow(
    "Can't use Atomics.waitAsync in queries and mutations.",
  );
});
