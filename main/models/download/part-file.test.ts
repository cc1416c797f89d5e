import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256Of } from "../../store/verify-file.ts";
import { PartFile, type PartSpec } from "./part-file.ts";
import { revertToPart } from "./revert-to-part.ts";

const pieceBytes = 1_000;
const content = randomBytes(2_500);
const pieceOf = (piece: number): Buffer => content.subarray(piece * pieceBytes, (piece + 1) * pieceBytes);
const spec: PartSpec = {
  sha256: sha256Of(content),
  sizeBytes: content.length,
  source: "s",
  pieceBytes,
  pieceHashes: [0, 1, 2].map((piece) => sha256Of(pieceOf(piece))),
};

let folder: string;
let path: string;
let part: PartFile;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-part-"));
  path = join(folder, "x.part");
  part = await PartFile.open(path, spec);
});
afterEach(async () => {
  await part.close();
  await rm(folder, { recursive: true });
});

async function bring(piece: number, bytes = pieceOf(piece)): Promise<string> {
  await part.write(piece, await part.begin(piece), bytes);
  return await part.finish(piece);
}

/** Reopens the file as a killed process leaves it: neither closed nor saved. */
async function reopen(changed: Partial<PartSpec> = {}): Promise<void> {
  part = await PartFile.open(path, { ...spec, ...changed });
}

describe("a part file", () => {
  it("completes a file from pieces in any order", async () => {
    for (const piece of [2, 0, 1]) expect(await bring(piece)).toBe("kept");
    expect(part.complete).toBe(true);
    expect(await part.verifyWhole(new AbortController().signal)).toBe("right");
    await part.moveTo(join(folder, "x"));
    expect(await readFile(join(folder, "x"))).toEqual(content);
    expect(await readdir(folder)).toEqual(["x"]);
  });

  it("continues at the exact byte after a kill", async () => {
    await bring(2);
    await part.begin(0);
    await part.write(0, 0, pieceOf(0).subarray(0, 300));
    await part.write(0, 300, pieceOf(0).subarray(300, 777));
    expect(part.heldBytes).toBe(1_277);
    await reopen();
    expect(part.heldBytes).toBe(1_277);
    expect(await part.begin(0)).toBe(777);
    await part.write(0, 777, pieceOf(0).subarray(777));
    expect(await part.finish(0)).toBe("kept");
    expect([...part.done].sort()).toEqual([0, 2]);
  });

  it("continues at the exact byte after a kill, even if the last bytes were zeros", async () => {
    const zeros = Buffer.alloc(2_500);
    await part.close();
    await reopen({ sha256: sha256Of(zeros), pieceHashes: null });
    await part.begin(1);
    await part.write(1, 0, zeros.subarray(0, 123));
    await reopen({ sha256: sha256Of(zeros), pieceHashes: null });
    expect(await part.begin(1)).toBe(123);
  });

  it("recognizes a complete piece that was not verified before a kill", async () => {
    await part.begin(0);
    await part.write(0, 0, pieceOf(0));
    await reopen();
    expect(await part.begin(0)).toBe(1_000);
    expect(await part.finish(0)).toBe("kept");
  });

  it("keeps no byte of a corrupt piece", async () => {
    expect(await bring(1, Buffer.alloc(1_000, 7))).toBe("corrupt");
    expect(part.heldBytes).toBe(0);
    await reopen();
    expect(part.heldBytes).toBe(0);
    expect(await bring(1)).toBe("kept");
  });

  it("finds the wrong piece of a wrong file", async () => {
    for (const piece of [0, 1, 2]) await bring(piece);
    const bytes = Buffer.from(content);
    bytes[1_500] = (bytes[1_500] ?? 0) ^ 1;
    await writeFile(path, bytes);
    expect(await part.verifyWhole(new AbortController().signal)).toBe("wrong");
    expect([...part.done]).toEqual([0, 2]);
  });

  it("drops a wrong file completely if its pieces have no hashes", async () => {
    await part.close();
    await reopen({ pieceHashes: null, sha256: "0".repeat(64) });
    for (const piece of [0, 1, 2]) await bring(piece);
    expect(await part.verifyWhole(new AbortController().signal)).toBe("wrong");
    expect(part.heldBytes).toBe(0);
    expect((await stat(path)).size).toBe(0);
  });

  it("reports catalog hashes that contradict each other", async () => {
    await part.close();
    await reopen({ sha256: "0".repeat(64) });
    for (const piece of [0, 1, 2]) await bring(piece);
    expect(await part.verifyWhole(new AbortController().signal)).toBe("disagree");
  });

  it("keeps only verified pieces after a change of the source", async () => {
    await bring(0);
    await part.countFailure(5);
    await reopen({ source: "t" });
    expect([...part.done]).toEqual([0]);
    expect(part.failures).toBe(0);
    await reopen({ source: "u", pieceHashes: null });
    expect(part.heldBytes).toBe(0);
  });

  it.each(["", "{", '{"sizeBytes":1}'])("starts again if its state file contains %j", async (state) => {
    await bring(0);
    await part.close();
    await writeFile(`${path}.json`, state);
    await reopen();
    expect(part.heldBytes).toBe(0);
  });

  it("starts again if its bytes are gone", async () => {
    await bring(0);
    await part.close();
    await truncate(path, 0);
    await reopen();
    expect(part.heldBytes).toBe(0);
  });
});

it("turns a damaged file into a part file with its valid pieces", async () => {
  await part.close();
  const bytes = Buffer.from(content);
  bytes[2_200] = (bytes[2_200] ?? 0) ^ 1;
  await writeFile(join(folder, "x.gguf"), bytes);
  await revertToPart(join(folder, "x.gguf"), path, spec);
  await reopen();
  expect(part.complete).toBe(true);
  expect(await part.verifyWhole(new AbortController().signal)).toBe("wrong");
  expect([...part.done]).toEqual([0, 1]);
  expect((await readdir(folder)).sort()).toEqual(["x.part", "x.part.json"]);
});
