import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ModelServer } from "./download/model-server.fixture.ts";
import { DownloadChild } from "./download-child.fixture.ts";
import { offeredModel } from "./store.fixture.ts";

const pieceBytes = 65_536;

it("completes a download after five kills, and fetches only one corrupt piece twice", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-killed-"));
  const server = new ModelServer(randomBytes(20 * pieceBytes + 4_321));
  const url = await server.listen();
  const order = {
    folder,
    model: offeredModel(url, server),
    pieces: { pieceBytes, pieceHashes: server.hashesOf(pieceBytes) },
  };
  let corrupted = -1;
  server.onChunk = (start, bytes) => {
    const piece = Math.floor(start / pieceBytes);
    if (corrupted === -1 && piece >= 7) {
      corrupted = piece;
      bytes[0] = (bytes[0] ?? 0) ^ 1;
    }
    return bytes;
  };

  // At each of these offsets the server pauses until all bytes are written. Then the process is killed.
  const kills = [0.07, 0.23, 0.41, 0.66, 0.93].map((share) => Math.floor(server.bytes.length * share) + 17);
  for (const bytes of kills) {
    server.holdAt = bytes;
    await runUntil(order, ({ held }) => server.sent === bytes && held === heldOf(server.given, corrupted));
    await server.deserted();
  }
  server.holdAt = Infinity;
  await runUntil(order, ({ state }) => state === "ready");

  const twice = [...server.given.keys()].filter((byte) => server.given[byte] !== 1);
  expect(corrupted).toBeGreaterThan(0);
  expect(new Set(twice.map((byte) => Math.floor(byte / pieceBytes)))).toEqual(new Set([corrupted]));
  expect(twice).toHaveLength(pieceBytes);
  expect(server.given[corrupted * pieceBytes]).toBe(2);
  expect(server.sent).toBe(server.bytes.length + pieceBytes);
  expect(await readFile(join(folder, `${server.sha256}.gguf`))).toEqual(server.bytes);
  expect((await readdir(folder)).filter((name) => name.includes("part"))).toEqual([]);
  server.close();
  await rm(folder, { recursive: true });
});

/** Downloads in a separate process until a report satisfies `isEnough`, and kills it then. */
async function runUntil(order: object, isEnough: Parameters<DownloadChild["until"]>[0]): Promise<void> {
  const child = new DownloadChild(order);
  try {
    await child.until(isEnough);
  } finally {
    await child.kill();
  }
}

/** The bytes that the part file must hold. A complete corrupt piece counts only from its second fetch on. */
function heldOf(given: Uint8Array, corrupted: number): number {
  let held = 0;
  const start = corrupted * pieceBytes;
  const again = corrupted !== -1 && given.subarray(start, start + pieceBytes).every((times) => times > 0);
  for (const [byte, times] of given.entries()) {
    const corrupt = again && Math.floor(byte / pieceBytes) === corrupted;
    if (times > (corrupt ? 1 : 0)) held++;
  }
  return held;
}
