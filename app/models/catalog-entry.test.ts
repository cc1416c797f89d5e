import { describe, expect, it } from "vitest";
import { catalogEntry, modelSource, pieceBytesFor } from "./catalog-entry.ts";

const entry = {
  modelId: "small",
  source: "hf:someone/some-repo.v1/folder/model Q4_K_M.gguf",
  sha256: "a".repeat(64),
  sizeBytes: 4 * 2 ** 20 + 1,
  licence: "Apache-2.0",
  contextTokens: 4_096,
  template: null,
  pieces: { pieceBytes: 4 * 2 ** 20, pieceHashes: ["b".repeat(64), "c".repeat(64)] },
};

describe("a catalog entry", () => {
  it("accepts an entry with and without pieces", () => {
    expect(catalogEntry.parse(entry)).toEqual(entry);
    expect(catalogEntry.safeParse({ ...entry, pieces: null }).success).toBe(true);
  });

  it.each([
    { modelId: "" },
    { sha256: "A".repeat(64) },
    { sizeBytes: 0 },
    { sizeBytes: 2 ** 40 },
    { contextTokens: 1.5 },
    { licence: "x".repeat(201) },
    { template: undefined },
    { pieces: { ...entry.pieces, pieceHashes: ["b".repeat(64)] } },
    { pieces: { ...entry.pieces, pieceHashes: ["b", "c"] } },
    { pieces: { ...entry.pieces, pieceBytes: 1 } },
  ])("rejects an entry with %j", (changed) => {
    expect(catalogEntry.safeParse({ ...entry, ...changed }).success).toBe(false);
  });
});

describe("a model's source", () => {
  it.each([
    "bundled",
    "https://models.example.org/a/b.gguf?download=true",
    "https://192.168.1.7:8443/m",
    "https://localhost.example.org/m",
    "hf:u/r/f.gguf",
  ])("can be %s", (source) => expect(modelSource.safeParse(source).success).toBe(true));

  it.each([
    "",
    "http://models.example.org/m",
    "http://localhost.example.org/m",
    "http://127.0.0.1@example.org/m",
    "http://127.0.0.1:8080/m",
    "http://localhost/m",
    "https://localhost:8080/m",
    "https://a.localhost/m",
    "https://127.0.0.1:8080/m",
    "https://169.254.169.254/latest",
    "https://0.0.0.0/m",
    "https://[::1]:8080/m",
    "https://[::ffff:127.0.0.1]/m",
    "https://[fe80::1]/m",
    "https://user:word@example.org/m",
    "https://example.org",
    "ftp://example.org/m",
    "file:///etc/passwd",
    "hf:u/r",
    "hf:u/r/../../x",
    "hf:u/r/a/..",
    "hf:u/r/a?b",
    "hf:u/r//a",
  ])("cannot be %j", (source) => expect(modelSource.safeParse(source).success).toBe(false));
});

it("chooses pieces of 4 MiB, or larger ones if there would be too many", () => {
  expect(pieceBytesFor(1)).toBe(4 * 2 ** 20);
  expect(pieceBytesFor(16 * 2 ** 30)).toBe(4 * 2 ** 20);
  expect(pieceBytesFor(17 * 2 ** 30)).toBe(8 * 2 ** 20);
});
