import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { catalogEntry } from "../../app/models/catalog-entry.ts";
import { entry, hashesOf } from "./entry.ts";

const demo = readFileSync(new URL("../../resources/demo-model/gleaner-demo-q8.gguf", import.meta.url));
let folder: string;
const mebibyte = 2 ** 20;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-entry-"));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

async function fileOf(bytes: Buffer): Promise<string> {
  const file = join(folder, "Tiny-Model.gguf");
  await writeFile(file, bytes);
  return file;
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

it.each([1, 4 * mebibyte - 1, 4 * mebibyte, 4 * mebibyte + 1, 9 * mebibyte + 5])(
  "hashes a file of %i bytes as a whole and in pieces",
  async (size) => {
    const bytes = randomBytes(size);
    const { pieces, ...found } = await hashesOf(await fileOf(bytes));
    expect(found).toEqual({ sha256: sha256(bytes), sizeBytes: size });
    const cut = Array.from({ length: Math.ceil(size / pieces.pieceBytes) }, (_, at) =>
      sha256(bytes.subarray(at * pieces.pieceBytes, (at + 1) * pieces.pieceBytes)),
    );
    expect(pieces).toEqual({ pieceBytes: 4 * mebibyte, pieceHashes: cut });
  },
);

async function printed(...args: readonly string[]) {
  const said = vi.spyOn(console, "log").mockReturnValue(undefined);
  await entry.run([await fileOf(demo), "--source", "https://models.example.org/tiny.gguf", ...args]);
  const json = JSON.parse(String(said.mock.calls[0]?.[0])) as { needsBytes: number };
  return { ...catalogEntry.parse(json), needsBytes: json.needsBytes };
}

it("prints an entry that the catalog accepts, with what the file tells", async () => {
  expect(await printed()).toMatchObject({
    modelId: "Tiny-Model",
    licence: "",
    contextTokens: 1_024,
    sizeBytes: demo.length,
    sha256: sha256(demo),
    needsBytes: 500_000_000,
  });
});

it("takes a shorter context and another license from its options", async () => {
  expect(await printed("--context", "512", "--license", "MIT")).toMatchObject({
    licence: "MIT",
    contextTokens: 512,
  });
});

it.each([
  ["no model", Buffer.from("These are notes, and no model."), /This is not a GGUF file/],
  ["a cut-off model", demo.subarray(0, 1_000), /its metadata has no end/],
])("refuses a file that is %s", async (_, bytes, why) => {
  const args = [await fileOf(bytes), "--source", "https://models.example.org/tiny.gguf"];
  await expect(entry.run(args)).rejects.toThrow(why);
});

it("refuses a missing file, and an entry that the catalog would not accept", async () => {
  const file = await fileOf(demo);
  const source = "https://models.example.org/tiny.gguf";
  await expect(entry.run([join(folder, "none.gguf"), "--source", source])).rejects.toThrow(
    /There is no file/,
  );
  await expect(entry.run([file])).rejects.toThrow(/--source are needed/);
  await expect(entry.run([file, "--source", "ftp://x"])).rejects.toThrow(/^source: has to be/);
  await expect(entry.run([file, "--source", source, "--context", "many"])).rejects.toThrow(/contextTokens/);
});
