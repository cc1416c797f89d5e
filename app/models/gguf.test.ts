import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readGgufHeader as readHeader } from "./gguf.ts";

const readGgufHeader = (bytes: Uint8Array) => readHeader(bytes, (utf8) => new TextDecoder().decode(utf8));
const folder = new URL("../../resources/demo-model/", import.meta.url);
const demo = new Uint8Array(readFileSync(new URL("gleaner-demo-q8.gguf", folder)));
const manifest = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as Record<
  string,
  unknown
>;

const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)];
const u32 = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);
const u64 = (value: bigint): number[] =>
  Array.from({ length: 8 }, (_, at) => Number((value >> BigInt(8 * at)) & 255n));
const text = (value: string): number[] => [...u64(BigInt(utf8(value).length)), ...utf8(value)];
const entry = (key: string, type: number, ...value: readonly number[]): number[] => [
  ...text(key),
  ...u32(type),
  ...value,
];
const named = entry("general.architecture", 8, ...text("x"));

function file(entries: readonly (readonly number[])[], { version = 3, count = BigInt(entries.length) } = {}) {
  return Uint8Array.from([...utf8("GGUF"), ...u32(version), ...u64(0n), ...u64(count), ...entries.flat()]);
}

it("reads the demo model's facts", () => {
  expect(readGgufHeader(demo)).toMatchObject({
    kind: "read",
    facts: {
      architecture: manifest["architecture"],
      contextTokens: manifest["contextTokens"],
      template: manifest["chatTemplateText"],
    },
  });
});

it("says that a file is short wherever it is cut within its metadata, and never anything else", () => {
  let read = demo.length;
  for (let cut = 0; cut < demo.length; cut += cut < 4_096 ? 1 : 1_009) {
    const { kind } = readGgufHeader(demo.subarray(0, cut));
    if (kind === "read") {
      read = cut;
      break;
    }
    expect([cut, kind]).toEqual([cut, "short"]);
  }
  expect(read).toBeLessThan(demo.length);
});

it("computes the memory of a token from heads and layers, alike or listed for each layer", () => {
  const shape = [
    named,
    entry("x.context_length", 4, ...u32(4_096)),
    entry("x.block_count", 4, ...u32(4)),
    entry("x.attention.head_count", 4, ...u32(8)),
    entry("x.embedding_length", 4, ...u32(512)),
  ];
  const perToken = (more: readonly number[]) => {
    const header = readGgufHeader(file([...shape, more]));
    return header.kind === "read" ? header.facts.contextBytesPerToken : header;
  };
  // Heads of 64 numbers, keys and values, in 2 bytes.
  expect(perToken(entry("x.attention.head_count_kv", 4, ...u32(2)))).toBe(4 * 2 * 128 * 2);
  const listed = [...u32(4), ...u64(4n), ...u32(2), ...u32(0), ...u32(2), ...u32(0)];
  expect(perToken(entry("x.attention.head_count_kv", 9, ...listed))).toBe(4 * 128 * 2);
  expect(perToken(entry("x.attention.key_length", 4, ...u32(100)))).toBe(4 * 8 * 164 * 2);
});

it("reads version 2, and 64-bit numbers", () => {
  const entries = [named, entry("x.context_length", 10, ...u64(8_192n))];
  expect(readGgufHeader(file(entries, { version: 2 }))).toMatchObject({ facts: { contextTokens: 8_192 } });
});

it.each([
  ["another format", Uint8Array.from(utf8("PK34....................")), "not a GGUF file"],
  ["version 1", file([], { version: 1 }), "version 1"],
  ["a version of the other byte order", file([], { version: 0x03000000 }), "version 50331648"],
  ["a huge count of entries", file([], { count: 2n ** 63n }), "9223372036854775808 entries"],
  ["a huge text", file([[...u64(2n ** 60n)]]), "bytes of a text"],
  ["a huge list", file([entry("a", 9, ...u32(4), ...u64(2n ** 40n))]), "entries of a list"],
  ["a list of lists", file([entry("a", 9, ...u32(9), ...u64(1n))]), "a list of lists"],
  ["an unknown type", file([entry("a", 13)]), "unknown type 13"],
  ["an unknown type in a list", file([entry("a", 9, ...u32(99), ...u64(2_000n))]), "unknown type 99"],
  ["no architecture", file([]), "architecture"],
  ["no context", file([named]), "context"],
  ["a context of nothing", file([named, entry("x.context_length", 4, ...u32(0))]), "context"],
  ["a negative context", file([named, entry("x.context_length", 5, ...u32(2 ** 32 - 1))]), "context"],
])("refuses %s with a sentence", (_, bytes, why) => {
  const header = readGgufHeader(bytes);
  expect(header).toMatchObject({ kind: "wrong" });
  if (header.kind === "wrong") expect(header.why).toContain(why);
});
