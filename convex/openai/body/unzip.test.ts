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

/** Pushes bytes in pieces, and returns what they become together. */
function unzipped(bytes: Uint8Array, pieceBytes: number): Buffer | string {
  const unzip = new Unzip(mebibyte);
  const all: Uint8Array[] = [];
  for (let at = 0; at <= bytes.byteLength; at += pieceBytes) {
    const parts = unzip.push(bytes.subarray(at, at + pieceBytes), at + pieceBytes > bytes.byteLength);
    if (typeof parts === "string") return parts;
    all.push(...parts);
  }
  return Buffer.concat(all);
}

it.each([1, 7, 1_000, 5_000])(
  "reads several members in pieces of %d bytes, and finds damage in each",
  (pieceBytes) => {
    const texts = ["first ".repeat(500), "", randomBytes(600).toString("hex"), "last"];
    const members = texts.map((text) => gzipSync(text));
    const whole = Buffer.concat(members);
    expect(unzipped(whole, pieceBytes).toString()).toBe(texts.join(""));
    let end = 0;
    for (const member of members) {
      end += member.byteLength;
      for (const back of [1, 4, 5, 8]) {
        const damaged = Buffer.from(whole);
        damaged[end - back] = (damaged[end - back] ?? 0) ^ 1;
        expect(unzipped(damaged, pieceBytes)).toBe("not gzip");
      }
    }
  },
);

it("does not take a body that was cut for a whole one", () => {
  const whole = gzipSync("a body ".repeat(100));
  for (let bytes = 0; bytes < whole.byteLength; bytes += 1) {
    expect(unzipped(whole.subarray(0, bytes), 10)).toBe("not gzip");
  }
});

it("finds content that was changed although it can be decompressed", () => {
  // Without compression, the content is in the body as it is.
  const whole = gzipSync("pay 10 credits", { level: 0 });
  whole[whole.indexOf("10")] = "9".charCodeAt(0);
  expect(unzipped(whole, 1_000)).toBe("not gzip");
});
