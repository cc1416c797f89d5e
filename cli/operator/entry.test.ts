import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { catalogEntry } from "../../app/models/catalog-entry.ts";
import { entry, hashesOf } from "./entry.ts";

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

it("prints an entry that the catalog accepts", async () => {
  const file = await fileOf(randomBytes(100));
  const said = vi.spyOn(console, "log").mockReturnValue(undefined);
  await entry.run([file, "--source", "https://models.example.org/tiny.gguf", "--license", "MIT"]);
  expect(catalogEntry.parse(JSON.parse(String(said.mock.calls[0]?.[0])))).toMatchObject({
    modelId: "Tiny-Model",
    licence: "MIT",
    contextTokens: 4_096,
    sizeBytes: 100,
  });
});

it("refuses a missing file, and an entry that the catalog would not accept", async () => {
  const file = await fileOf(randomBytes(1));
  const source = "https://models.example.org/tiny.gguf";
  await expect(entry.run([join(folder, "none.gguf"), "--source", source])).rejects.toThrow(
    /There is no file/,
  );
  await expect(entry.run([file])).rejects.toThrow(/--source are needed/);
  await expect(entry.run([file, "--source", "ftp://x"])).rejects.toThrow(/^source: has to be/);
  await expect(entry.run([file, "--source", source, "--context", "many"])).rejects.toThrow(/contextTokens/);
});
