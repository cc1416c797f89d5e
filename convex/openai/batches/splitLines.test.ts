import { expect, it } from "vitest";
import { LineSplitter } from "./splitLines.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The lines of a file that comes in chunks of so many bytes. */
function split(bytes: Uint8Array, chunkBytes: number, from = { bytes: 0, lines: 0 }, mostBytes = 100) {
  const splitter = new LineSplitter(mostBytes, from);
  const lines = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    lines.push(...splitter.push(bytes.subarray(at, at + chunkBytes)));
  }
  return [...lines, ...splitter.end()];
}

const file = bytesOf("first\r\n\nzweite: ä€😀\n  \nlast");

it.each([1, 2, 3, 7, 1_000])("finds the same lines in chunks of %d bytes", (chunkBytes) => {
  expect(split(file, chunkBytes)).toEqual([
    { number: 1, text: "first\r", end: 7 },
    { number: 3, text: "zweite: ä€😀", end: 26 },
    { number: 5, text: "last", end: 33 },
  ]);
});

it("goes on behind any line with the same numbers and offsets", () => {
  const lines = split(file, 1_000);
  for (const [index, { number, end }] of lines.entries()) {
    expect(split(file.subarray(end), 4, { bytes: end, lines: number })).toEqual(lines.slice(index + 1));
  }
});

it("gives no text of a line that is too long, or not UTF-8, and goes on behind it", () => {
  const long = bytesOf(`${"x".repeat(101)}\n${"y".repeat(100)}\n`);
  expect(split(long, 30)).toEqual([
    { number: 1, text: null, end: 102 },
    { number: 2, text: "y".repeat(100), end: 203 },
  ]);
  expect(split(Uint8Array.from([0xc3, 0x28, 10, 65]), 1)).toEqual([
    { number: 1, text: null, end: 3 },
    { number: 2, text: "A", end: 4 },
  ]);
  expect(split(Uint8Array.from([65, 0xe2, 0x82]), 2)).toEqual([{ number: 1, text: null, end: 3 }]);
});

it("finds no line in an empty file", () => {
  expect(split(bytesOf(""), 1)).toEqual([]);
  expect(split(bytesOf("\n\n"), 1)).toEqual([]);
});
