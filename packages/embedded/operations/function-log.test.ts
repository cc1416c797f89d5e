import { expect, test } from "vitest";
import { FunctionLog, maxEntries } from "./function-log.ts";

const printer = { requestId: "1", component: "", identifier: "GET /x", kind: "HttpAction" } as const;
const never = new AbortController().signal;

test("a follower gets the present cursor at once, then waits for new entries", async () => {
  const log = new FunctionLog(() => 1_000);
  const { entries, newCursor } = await log.after(0, never);
  expect(entries).toEqual([]);
  const news = log.after(newCursor, never);
  log.printed(printer, "[LOG] 'a'");
  const page = await news;
  expect(page.entries.map(({ logLines }) => logLines)).toEqual([["[LOG] 'a'"]]);
  // The clock does not move, yet entries of the same millisecond get different cursors.
  log.printed(printer, "[LOG] 'b'");
  const next = await log.after(page.newCursor, never);
  expect(next.entries.map(({ logLines }) => logLines)).toEqual([["[LOG] 'b'"]]);
});

test("an entry names the component and the function's name within it", () => {
  const log = new FunctionLog();
  const run = { requestId: "1", kind: "Query" } as const;
  log.printed({ ...run, component: "pool/loop", identifier: "pool/loop/lib.js:next" }, "[LOG] 'a'");
  log.printed({ ...run, component: "pool", identifier: "GET /x" }, "[LOG] 'b'");
  log.printed({ ...run, component: "", identifier: "pool/lib.js:next" }, "[LOG] 'c'");
  log.printed({ ...run, component: "", identifier: "pool/lib.js:default" }, "[LOG] 'd'");
  expect(log.latest().map(({ componentPath, identifier }) => [componentPath, identifier])).toEqual([
    ["pool/loop", "lib:next"],
    ["pool", "GET /x"],
    [null, "pool/lib:next"],
    [null, "pool/lib"],
  ]);
});

test("a follower without new entries gets an empty page", async () => {
  const log = new FunctionLog(() => 1_000);
  const leave = new AbortController();
  const waiting = log.after(5_000, leave.signal);
  leave.abort();
  expect(await waiting).toEqual({ entries: [], newCursor: 5_000 });
});

test("the log is bounded in entries and in text", () => {
  const log = new FunctionLog();
  for (let n = 0; n < 5 * maxEntries; n++) log.printed(printer, `[LOG] ${String(n)}`);
  expect(log.latest().length).toBeLessThanOrEqual(1.5 * maxEntries);
  expect(log.latest().at(-1)?.logLines).toEqual([`[LOG] ${String(5 * maxEntries - 1)}`]);
  for (let n = 0; n < 500; n++) log.printed(printer, "x".repeat(32_768));
  const characters = log.latest().reduce((sum, { logLines }) => sum + (logLines[0]?.length ?? 0), 0);
  expect(characters).toBeLessThanOrEqual(4 * 1024 * 1024);
});
