import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ModelView } from "../../app/contract/snapshot.ts";
import { known } from "../../app/facts/facts.ts";
import type { ModelPieces, OfferedModel } from "../../app/models/catalog-entry.ts";
import type { ModelCatalog } from "./catalog.ts";
import { ModelServer } from "./download/model-server.fixture.ts";
import { revertToPart } from "./download/revert-to-part.ts";
import type { ModelStore, ModelStoreDeps } from "./model-store.ts";
import { idleFacts, offeredModel, openStore, roomyRules } from "./store.fixture.ts";

const pieceBytes = 65_536;
const inUse = { ...idleFacts, idleSeconds: known(0) };

let folder: string;
let server: ModelServer;
let model: OfferedModel;
let pieces: ModelPieces | null;
let store: ModelStore;
let catalog: ModelCatalog;
let opened: { store: ModelStore; catalog: ModelCatalog }[];
let servers: ModelServer[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-store-"));
  opened = [];
  servers = [];
  [server, model] = await serve("m", 5);
  pieces = { pieceBytes, pieceHashes: server.hashesOf(pieceBytes) };
});
afterEach(async () => {
  for (const one of opened) {
    await one.store.stop();
    one.catalog.stop();
  }
  for (const one of servers) one.close();
  await rm(folder, { recursive: true });
});

async function serve(modelId: string, count: number): Promise<[ModelServer, OfferedModel]> {
  const one = new ModelServer(randomBytes(count * pieceBytes - 77));
  servers.push(one);
  return [one, { ...offeredModel(await one.listen(), one), modelId }];
}

async function start(changed: Partial<ModelStoreDeps> = {}, models = [model]): Promise<void> {
  ({ store, catalog } = await openStore(folder, pieces, changed));
  opened.push({ store, catalog });
  store.offer(models);
}

const update = (rules: Partial<typeof roomyRules> = {}): void =>
  store.update(idleFacts, { ...roomyRules, ...rules });
const soon = { timeout: 60_000, interval: 10 };
const becomes = (view: Partial<ModelView>, of = model): Promise<void> =>
  vi.waitFor(() => expect(store.view(of)).toMatchObject(view), soon);
const path = (of = model): string => join(folder, `${of.sha256}.gguf`);

describe("an offered model", () => {
  it("downloads an offered model for its jobs, and has it after a restart without reading it again", async () => {
    await start();
    expect(store.view(model)).toMatchObject({ state: "waiting", why: { reason: "not-a-member" } });
    update();
    await becomes({ state: "ready" });
    expect(await readFile(path())).toEqual(server.bytes);
    expect(catalog.find(model)).toMatchObject({ path: path(), modelId: "m", contextTokens: 512 });
    await store.stop();
    await start();
    expect(catalog.find(model)).not.toBeNull();
    expect(server.sent).toBe(server.bytes.length);
  });

  it("interrupts a download while the person uses the computer, and continues where it stopped", async () => {
    server.holdAt = 100_000;
    await start();
    update();
    await becomes({ state: "downloading", downloadedBytes: 100_000 });
    store.update(inUse, roomyRules);
    await becomes({ state: "waiting", downloadedBytes: 100_000, why: { reason: "in-use", detail: null } });
    await server.deserted();
    server.holdAt = Infinity;
    update();
    await becomes({ state: "ready" });
    expect(server.sent).toBe(server.bytes.length);
  });

  it("downloads no faster than the rules allow", async () => {
    await start();
    // At a thousand bytes a second the first chunks take a minute.
    update({ downloadKbps: 8 });
    await becomes({ state: "downloading", bytesPerSecond: expect.any(Number) as number });
    await vi.waitFor(() => expect(store.view(model).downloadedBytes).toBeGreaterThan(0), soon);
    expect(store.view(model).downloadedBytes).toBeLessThan(model.sizeBytes);
    store.update(inUse, roomyRules);
    await becomes({ state: "waiting" });
    update();
    await becomes({ state: "ready" });
  });

  it("stops a download at the day's network budget, which survives a restart", async () => {
    [server, model] = await serve("large", 40);
    pieces = null;
    await start();
    update({ networkBudgetMbPerDay: 1 });
    await becomes({ state: "waiting", why: { reason: "day-budget", detail: null } });
    const { sent } = server;
    expect(sent).toBeGreaterThanOrEqual(2 ** 20);
    await store.stop();
    await start();
    update({ networkBudgetMbPerDay: 1 });
    await becomes({ state: "waiting", why: { reason: "day-budget", detail: null } });
    expect(server.sent).toBe(sent);
    update({ networkBudgetMbPerDay: 2_000 });
    await becomes({ state: "ready" });
  });

  it("rejects a file with wrong content until the person requests it again", async () => {
    server.onChunk = (_start, bytes) => bytes.fill(7);
    await start();
    update();
    await becomes({
      state: "waiting",
      why: { reason: "wrong-content", detail: expect.any(String) as string },
    });
    expect(catalog.find(model)).toBeNull();
    const { requests } = server;
    expect(requests).toBeLessThan(12);
    // A restart does not retry it either.
    await store.stop();
    server.onChunk = (_start, bytes) => bytes;
    await start();
    update();
    await becomes({
      state: "waiting",
      why: { reason: "wrong-content", detail: expect.any(String) as string },
    });
    expect(server.requests).toBe(requests);
    expect(await store.fetch("m")).toEqual({ kind: "ok" });
    await becomes({ state: "ready" });
  });

  it("retries a failed download at once from a new source", async () => {
    server.answer = (_request, response) => {
      response.writeHead(404).end();
      return true;
    };
    await start();
    update();
    await becomes({
      state: "waiting",
      why: { reason: "source-refused", detail: expect.any(String) as string },
    });
    const mirror = new ModelServer(server.bytes);
    servers.push(mirror);
    model = { ...model, source: await mirror.listen() };
    store.offer([model]);
    await becomes({ state: "ready" });
  });

  it("rejects a file with wrong content that has no hashes of pieces, after two tries", async () => {
    pieces = null;
    server.onChunk = (_start, bytes) => bytes.fill(7);
    await start();
    update();
    await becomes({
      state: "waiting",
      why: { reason: "wrong-content", detail: expect.any(String) as string },
    });
    expect(server.sent).toBe(2 * server.bytes.length);
  });

  it("retries a download when its source is available again", async () => {
    let refusals = 0;
    server.answer = (_request, response) => {
      if (refusals >= 1) return false;
      response.writeHead(503, { "retry-after": "0" }).end();
      refusals++;
      return true;
    };
    await start();
    update();
    await becomes({ state: "ready" });
    expect(refusals).toBe(1);
  });

  it("reports the status of a source that refuses the file", async () => {
    server.answer = (_request, response) => {
      response.writeHead(404).end();
      return true;
    };
    await start();
    update();
    await becomes({
      state: "waiting",
      why: { reason: "source-refused", detail: "It answers with status 404." },
    });
  });

  it("starts a download again if the file at the source changed meanwhile", async () => {
    server.holdAt = 100_000;
    pieces = null;
    await start();
    update();
    await becomes({ downloadedBytes: 100_000 });
    store.update(inUse, roomyRules);
    await becomes({ state: "waiting" });
    await server.deserted();
    server.holdAt = Infinity;
    server.etag = '"2"';
    update();
    await becomes({ state: "ready" });
    expect(await readFile(path())).toEqual(server.bytes);
  });

  it("repairs a damaged file by fetching only its bad piece", async () => {
    await start();
    update();
    await becomes({ state: "ready" });
    const bytes = await readFile(path());
    bytes[pieceBytes + 5] = (bytes[pieceBytes + 5] ?? 0) ^ 1;
    await writeFile(path(), bytes);
    await catalog.recheck(model.sha256);
    await becomes({ state: "ready" });
    expect(await readFile(path())).toEqual(server.bytes);
    expect(server.sent).toBe(server.bytes.length + pieceBytes);
  });

  it("downloads a deleted file again", async () => {
    await start();
    update();
    await becomes({ state: "ready" });
    await rm(path());
    await catalog.recheck(model.sha256);
    await becomes({ state: "ready" });
    expect(server.sent).toBe(2 * server.bytes.length);
  });

  it.each(["before", "after"])(
    "finds the file of a process that was killed %s it moved the file to its place",
    async (when) => {
      await start();
      update();
      await becomes({ state: "ready" });
      await store.stop();
      const index = await readFile(join(folder, "index.json"), "utf8");
      await writeFile(join(folder, "index.json"), index.replace(/"stamp":"[^"]*"/, '"stamp":""'));
      if (when === "before") {
        const file = { ...model, pieceBytes };
        await revertToPart(path(), join(folder, `${model.sha256}.part`), file);
      }
      await start();
      update();
      await becomes({ state: "ready" });
      expect(await readFile(path())).toEqual(server.bytes);
      expect(server.sent).toBe(server.bytes.length);
    },
  );

  it("keeps offered files and deletes others if the index was lost", async () => {
    await start();
    update();
    await becomes({ state: "ready" });
    await store.stop();
    await writeFile(join(folder, "index.json"), "nonsense");
    const other = join(folder, `${"0".repeat(64)}.gguf`);
    await writeFile(other, "of an organization before");
    await start();
    update();
    await becomes({ state: "ready" });
    expect(await readFile(path())).toEqual(server.bytes);
    expect(server.sent).toBe(server.bytes.length);
    expect(await readdir(folder)).not.toContain(`${"0".repeat(64)}.gguf`);
  });

  it("does not fetch a bundled model", async () => {
    model = { ...model, source: "bundled" };
    await start();
    update();
    expect(store.view(model)).toMatchObject({ state: "missing", why: { reason: "no-source" } });
    expect(server.requests).toBe(0);
  });
});

describe("the disk space of models", () => {
  it("downloads no model that exceeds the disk space of the rules", async () => {
    await start();
    update({ diskQuotaMb: 0 });
    await becomes({ state: "waiting", why: { reason: "over-quota", detail: null } });
    expect(server.requests).toBe(0);
    update({ minFreeDiskMb: 16 * 2 ** 20 });
    await store.fetch("m");
    await becomes({ state: "waiting", why: { reason: "disk-full", detail: null } });
    expect(server.requests).toBe(0);
  });

  it("deletes a model that is no longer offered to make room, but not while it runs", async () => {
    const running = new Set<string>();
    pieces = null;
    await start({ running: () => running });
    update({ diskQuotaMb: 1 });
    await becomes({ state: "ready" });
    const old = model;
    const [, next] = await serve("next", 14);
    running.add(old.sha256);
    store.offer([next]);
    await becomes({ state: "waiting", why: { reason: "over-quota", detail: null } }, next);
    expect(await readdir(folder)).toContain(`${old.sha256}.gguf`);
    running.clear();
    await store.fetch("next");
    await becomes({ state: "ready" }, next);
    expect(await readdir(folder)).not.toContain(`${old.sha256}.gguf`);
  });

  it("does not let two models that do not fit together replace each other forever", async () => {
    const [, next] = await serve("next", 14);
    pieces = null;
    await start({}, [model, next]);
    update({ diskQuotaMb: 1 });
    await becomes({ state: "ready" });
    await becomes({ state: "waiting", why: { reason: "over-quota", detail: null } }, next);
    expect(store.view(model).state).toBe("ready");
  });

  it("deletes models when the rules allow less disk space", async () => {
    await start();
    update();
    await becomes({ state: "ready" });
    update({ diskQuotaMb: 0 });
    await becomes({ state: "waiting", why: { reason: "over-quota", detail: null } });
    expect(await readdir(folder)).not.toContain(`${model.sha256}.gguf`);
  });

  it("deletes begun downloads that are no longer offered, and leftovers of a crash", async () => {
    const other = "f".repeat(64);
    await mkdir(folder, { recursive: true });
    for (const name of [`${other}.part`, `${other}.part.json`, "index.json.12.tmp"]) {
      await writeFile(join(folder, name), "x");
    }
    await start();
    update();
    await becomes({ state: "ready" });
    expect((await readdir(folder)).sort()).toEqual(
      [`${model.sha256}.gguf`, "index.json", "network.json"].sort(),
    );
  });
});

describe("a removed model", () => {
  it("does not download a removed model until the person requests it", async () => {
    await start();
    update();
    await becomes({ state: "ready" });
    expect(store.list()).toMatchObject([{ modelId: "m", state: "ready", sha256: model.sha256 }]);
    expect(await store.remove("m")).toEqual({ kind: "ok" });
    expect(await readdir(folder)).not.toContain(`${model.sha256}.gguf`);
    await store.stop();
    await start();
    update();
    expect(store.view(model)).toMatchObject({ state: "missing", why: { reason: "removed" } });
    expect(await store.fetch("m")).toEqual({ kind: "ok" });
    await becomes({ state: "ready" });
  });

  it("refuses to remove a running or an unknown model", async () => {
    await start({ running: () => new Set([model.sha256]) });
    update();
    await becomes({ state: "ready" });
    expect(await store.remove("m")).toEqual({ kind: "refused", reason: "running" });
    expect(await store.remove("unheard of")).toEqual({ kind: "refused", reason: "unknown" });
  });

  it("removes a model during its download", async () => {
    server.holdAt = 100_000;
    await start();
    update();
    await becomes({ downloadedBytes: 100_000 });
    expect(await store.remove("m")).toEqual({ kind: "ok" });
    expect((await readdir(folder)).filter((name) => name.includes("part"))).toEqual([]);
    await becomes({ state: "missing" });
  });
});
