import { randomBytes, randomInt } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ModelServer } from "./download/model-server.fixture.ts";
import { DownloadChild } from "./download-child.fixture.ts";
import { offeredModel } from "./store.fixture.ts";

const pieceBytes = 65_536;
const ready = ({ state }: { readonly state: string }): boolean => state === "ready";

let folder: string;
let server: ModelServer;
let children: DownloadChild[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-office-"));
  server = new ModelServer(randomBytes(40 * pieceBytes + 99));
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()));
  server.close();
  await rm(folder, { recursive: true });
});

async function donors(count: number, order: object): Promise<readonly string[]> {
  const folders = Array.from({ length: count }, (_, index) => join(folder, String(index)));
  children = folders.map((one) => new DownloadChild({ ...order, folder: one }));
  await Promise.all(children.map((child) => child.until(ready)));
  return folders.map((one) => join(one, `${server.sha256}.gguf`));
}

it.each([2, 4])(
  "%i donors in one office fetch a model from the internet only once",
  async (count) => {
    const order = {
      model: offeredModel(await server.listen(), server),
      pieces: { pieceBytes, pieceHashes: server.hashesOf(pieceBytes) },
      office: { secret: "s", multicastPort: randomInt(20_000, 60_000) },
    };
    for (const path of await donors(count, order)) expect(await readFile(path)).toEqual(server.bytes);
    // Two donors may begin the same piece before they discover each other.
    expect(server.sent).toBeLessThan(server.bytes.length * 1.1);
  },
  120_000,
);

it("one donor fetches for all if single pieces cannot be verified", async () => {
  const order = {
    model: offeredModel(await server.listen(), server),
    pieces: null,
    office: { secret: "s", multicastPort: randomInt(20_000, 60_000) },
  };
  for (const path of await donors(2, order)) expect(await readFile(path)).toEqual(server.bytes);
  expect(server.sent).toBeLessThan(server.bytes.length * 1.1);
});

it("donors of different organizations share nothing", async () => {
  const model = offeredModel(await server.listen(), server);
  const pieces = { pieceBytes, pieceHashes: server.hashesOf(pieceBytes) };
  const multicastPort = randomInt(20_000, 60_000);
  children = ["one", "other"].map(
    (secret) =>
      new DownloadChild({ model, pieces, office: { secret, multicastPort }, folder: join(folder, secret) }),
  );
  await Promise.all(children.map((child) => child.until(ready)));
  expect(server.sent).toBe(2 * server.bytes.length);
});
