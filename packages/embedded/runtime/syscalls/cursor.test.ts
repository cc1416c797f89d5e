import { expect, test } from "vitest";
import { CursorSealer } from "./cursor.ts";

const query = { source: { type: "FullTableScan", tableName: "notes" } };
const key = "\x07\0\xff";
const sealer = new CursorSealer("secret");

test("a cursor opens to its position, also after a restart with the same secret", () => {
  const cursor = sealer.seal({ kind: "after", key }, query);
  expect(new CursorSealer("secret").open(cursor, query)).toEqual({ kind: "after", key });
  expect(sealer.open(sealer.seal({ kind: "end" }, query), query)).toEqual({ kind: "end" });
});

test("equal positions have equal cursors, and others differ", () => {
  const cursor = sealer.seal({ kind: "after", key }, query);
  expect(sealer.seal({ kind: "after", key }, query)).toBe(cursor);
  const others = [
    sealer.seal({ kind: "after", key: `${key}\0` }, query),
    sealer.seal({ kind: "end" }, query),
    sealer.seal({ kind: "after", key }, { ...query, operators: [] }),
    new CursorSealer("other").seal({ kind: "after", key }, query),
  ];
  expect(new Set([cursor, ...others]).size).toBe(5);
});

test("a cursor does not reveal its key", () => {
  const secretKey = "somebody's salary";
  const cursor = sealer.seal({ kind: "after", key: secretKey }, query);
  expect(Buffer.from(cursor, "base64url").includes(secretKey)).toBe(false);
});

test("a forged cursor or one of another query is refused", () => {
  const cursor = sealer.seal({ kind: "after", key }, query);
  const flipped = Buffer.from(cursor, "base64url");
  flipped[flipped.length - 1] = (flipped.at(-1) as number) ^ 1;
  for (const forged of ["", "x", flipped.toString("base64url"), cursor.slice(0, -4)]) {
    expect(() => sealer.open(forged, query)).toThrow(/^InvalidCursor/);
  }
  expect(() => sealer.open(cursor, { ...query, operators: [] })).toThrow(/^InvalidCursor/);
  expect(() => new CursorSealer("other").open(cursor, query)).toThrow(/^InvalidCursor/);
});
