import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { all, collect, insertOne, mutate, read } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import { Store } from "./store.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "engine-disk-"));
  path = join(folder, "data.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = "x".repeat(2_000);

test("a full disk fails the engine with a clear error, and no acknowledged commit is lost", async () => {
  const failures: Error[] = [];
  const engine = openEngine({ path, maxPages: 200, onFailed: (error) => failures.push(error) });
  const acknowledged: string[] = [];
  const failure = await (async () => {
    for (;;) acknowledged.push(await insertOne(engine, "jobs", { text }));
  })().catch((error: unknown) => error);
  expect(failure).toMatchObject({
    name: "EngineFailedError",
    message: expect.stringMatching(/full.*Check that the disk has room/s) as string,
  });
  expect(failures).toEqual([failure]);
  expect(() => engine.begin()).toThrow("Check that the disk has room");
  expect(acknowledged.length).toBeGreaterThan(50);
  await engine.close();

  const again = openEngine({ path });
  const missing = read(again, (transaction) => acknowledged.filter((id) => transaction.get(id) === null));
  expect(missing).toEqual([]);
  await insertOne(again, "jobs", { text });
  expect(read(again, (transaction) => collect(transaction, all("jobs")).length)).toBe(
    acknowledged.length + 1,
  );
  await again.close();
});

test("every commit is synced, and a growing WAL is moved into the main file", async () => {
  const engine = openEngine({ path });
  for (let n = 0; n < 40; n++) {
    await mutate(engine, (transaction) => {
      for (let each = 0; each < 400; each++) transaction.insert("jobs", { text });
    });
  }
  expect(statSync(path).size).toBeGreaterThan(16 * 1024 * 1024);
  // Four thousand pages of 4 KiB, with frame headers, and the commit that went over.
  expect(statSync(`${path}-wal`).size).toBeLessThan(24 * 1024 * 1024);
  await engine.close();
});

test("a WAL that grew during a copy stops growing after it", () => {
  const store = new Store(path);
  const [table] = [{ number: 10_001, name: "jobs", indexes: [] }];
  store.createTable(table);
  store.flush(2n);
  let ts = 3n;
  const write = (count: number): void => {
    for (let n = 0; n < count; n++) {
      store.putDocument(`document-${String(ts)}-${String(n)}`, table.number, text);
      if (n % 50 === 49) store.flush(ts++);
    }
  };
  const release = store.freezeMainFile();
  const frozen = readFileSync(path);
  write(16_000);
  expect(readFileSync(path).equals(frozen)).toBe(true);
  release();
  const grown = statSync(`${path}-wal`).size;
  expect(grown).toBeGreaterThan(32 * 1024 * 1024);
  write(16_000);
  expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(grown + 1024 * 1024);
  store.close();
});

test("reading a damaged database fails with advice on restoring it", async () => {
  const engine = openEngine({ path });
  for (let n = 0; n < 300; n++) await insertOne(engine, "jobs", { text });
  await engine.close();
  const content = readFileSync(path);
  // All but the first pages, which hold the list of tables.
  content.fill(0x5a, 40 * 4_096);
  writeFileSync(path, content);
  const damaged = openEngine({ path });
  expect(() => read(damaged, (transaction) => collect(transaction, all("jobs")))).toThrow(
    /damaged.*gleaner restore FILE/s,
  );
  await damaged.close().catch(() => undefined);
});

test("SQLite has the settings that durability needs", async () => {
  await openEngine({ path }).close();
  const db = new DatabaseSync(path);
  expect(db.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  db.close();
  const store = new Store(path);
  expect(store.settings()).toEqual({
    synchronous: 1,
    walAutocheckpoint: 4_000,
    journalSizeLimit: 64 * 1024 * 1024,
  });
  store.close();
});
