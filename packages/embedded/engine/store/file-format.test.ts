import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { all, collect, insertOne, read } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import { applyMigrations, formatVersion, ourApplicationId } from "./file-format.ts";
import { migrationCopyPath } from "./store-schema.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "engine-format-"));
  path = join(folder, "data.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function edit<T>(file: string, change: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file);
  try {
    return change(db);
  } finally {
    db.close();
  }
}

function version(file: string): unknown {
  return edit(file, (db) => [
    db.prepare("PRAGMA application_id").get()?.["application_id"],
    db.prepare("PRAGMA user_version").get()?.["user_version"],
    db.prepare("SELECT value FROM meta WHERE name = 'format'").get()?.["value"],
  ]);
}

/** A file as a program of format 1 wrote it: with documents, and its version only in `meta`. */
async function writeFormat1(): Promise<void> {
  const engine = openEngine({ path });
  for (let n = 0; n < 50; n++) await insertOne(engine, "jobs", { n });
  await engine.close();
  edit(path, (db) =>
    db.exec(`PRAGMA application_id = 0; PRAGMA user_version = 0; DROP TABLE log;
      UPDATE meta SET value = 1 WHERE name = 'format'`),
  );
}

test("a new file carries the application id and its format", async () => {
  await openEngine({ path }).close();
  expect(version(path)).toEqual([ourApplicationId, formatVersion, formatVersion]);
  expect(readdirSync(folder).filter((name) => name.includes("format"))).toEqual([]);
});

test("an older file is migrated, and a copy of the original is kept", async () => {
  await writeFormat1();
  const engine = openEngine({ path });
  expect(read(engine, (transaction) => collect(transaction, all("jobs"))).length).toBe(50);
  await engine.close();
  expect(version(path)).toEqual([ourApplicationId, formatVersion, formatVersion]);
  const copy = migrationCopyPath(path, 1);
  expect(version(copy)).toEqual([0, 0, 1]);
  expect(edit(copy, (db) => db.prepare("SELECT count(*) AS n FROM documents").get())).toEqual({ n: 50 });
  if (process.platform !== "win32") expect(statSync(copy).mode & 0o777).toBe(0o600);
});

test("only the newest copy before a migration is kept", async () => {
  await openEngine({ path: migrationCopyPath(path, 0) }).close();
  await writeFormat1();
  await openEngine({ path }).close();
  expect(existsSync(migrationCopyPath(path, 0))).toBe(false);
  expect(existsSync(migrationCopyPath(path, 1))).toBe(true);
});

test("the file is unchanged if it cannot be copied before a migration", async () => {
  await writeFormat1();
  // Something that a copy cannot overwrite.
  const blocked = `${migrationCopyPath(path, 1)}.part`;
  await import("node:fs/promises").then(({ mkdir }) => mkdir(join(blocked, "x"), { recursive: true }));
  expect(() => openEngine({ path })).toThrow();
  expect(version(path)).toEqual([0, 0, 1]);
});

test("migrations run in order, each once, from the file's format", () => {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID");
  const ran: number[] = [];
  const step = (to: number) => ({ to, apply: () => void ran.push(to) });
  applyMigrations(db, 2, [step(2), step(3), step(4)]);
  expect(ran).toEqual([3, 4]);
  expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: 4 });
  db.close();
});

test("a file with another application id is refused", () => {
  edit(path, (db) =>
    db.exec(`PRAGMA application_id = 7; CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER);
      INSERT INTO meta VALUES ('format', 1)`),
  );
  expect(() => openEngine({ path })).toThrow("not one of this backend");
});

test("a newer file is refused by its user_version", async () => {
  await openEngine({ path }).close();
  edit(path, (db) => db.exec("PRAGMA user_version = 99"));
  expect(() => openEngine({ path })).toThrow(/format 99.*Start the newer version/);
});
