import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { Unzip } from "./unzip.ts";

const mebibyte = 1_024 * 1_024;

it.each([0, 1, 6, 9])("decompresses what was compressed at level %d", (level) => {
  const bytes = Buffer.concat([randomBytes(300_000), Buffer.alloc(300_000, "a")]);
  const parts = new Unzip(mebibyte).push(gzipSync(bytes, { level }), true);
  expect(typeof parts === "string" ? parts : Buffer.concat(parts).equals(bytes)).toBe(true);
});

it("reads no endless header", () => {
  // A header with the file's name, which a zero byte would end.
  const endless = Buffer.alloc(mebibyte, "a");
  endless.set([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
  expect(new Unzip(mebibyte).push(endless, false)).toBe("not gzip");
  const second = Buffer.concat([gzipSync("{"), endless]);
  expect(new Unzip(mebibyte).push(second, false)).toBe("not gzip");
});
