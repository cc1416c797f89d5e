import { spawn } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { insertOne, read } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import { StoreError } from "../model/errors.ts";
import { Store } from "./store.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "engine-store-"));
  path = join(folder, "data.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clocksAt = (wall: number) => ({ wall: () => wall, steady: () => 0 });

function failureOf(open: () => unknown): unknown {
  try {
    open();
  } catch (error) {
    return error;
  }
  return null;
}

describe("a deleted document", () => {
  const marker = "a prompt that nobody may read anymore";
  const remains = (): string[] =>
    readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(marker));

  test.each([
    ["short", 1],
    ["nearly as long as a page", 100],
    ["of many pages", 5_000],
  ])("leaves no trace in the files once the WAL has moved: %s", (_length, times) => {
    const store = new Store(path);
    store.createTable({ number: 10_001, name: "jobs", indexes: [] });
    const neighbors = Array.from({ length: 100 }, (_, at) => `neighbor ${String(at)}`);
    for (const id of neighbors.slice(0, 50)) store.putDocument(id, 10_001, id.repeat(30));
    store.putDocument("job", 10_001, marker.repeat(times));
    for (const id of neighbors.slice(50)) store.putDocument(id, 10_001, id.repeat(30));
    store.flush(2n);
    // The main file has the prompt, as it has when a job is forgotten.
    store.freezeMainFile()();
    expect(remains()).toEqual(["data.sqlite"]);
    store.deleteDocument("job");
    store.flush(3n);
    store.freezeMainFile()();
    expect(remains()).toEqual([]);
    store.close();
    expect(remains()).toEqual([]);
    const reopened = new Store(path);
    expect(neighbors.every((id) => reopened.document(id) === id.repeat(30))).toBe(true);
    reopened.close();
  });

  test("leaves no trace after it was only in the log", () => {
    const store = new Store(path);
    store.createTable({ number: 10_001, name: "jobs", indexes: [] });
    store.putDocument("job", 10_001, marker.repeat(500));
    store.commit(2n);
    store.deleteDocument("job");
    store.commit(3n);
    expect(remains()).not.toEqual([]);
    store.flush(4n);
    store.freezeMainFile()();
    expect(remains()).toEqual([]);
    store.close();
  });

  test("leaves no trace after it was replaced by a shorter one, and after the file was closed at once", () => {
    const store = new Store(path);
    store.createTable({ number: 10_001, name: "jobs", indexes: [] });
    for (const id of ["replaced", "deleted"]) store.putDocument(id, 10_001, marker.repeat(500));
    store.flush(2n);
    store.putDocument("replaced", 10_001, "short");
    store.deleteDocument("deleted");
    store.flush(3n);
    store.close();
    expect(remains()).toEqual([]);
  });
});

describe("unusable files", () => {
  test("a file damaged at its start is refused, with advice", () => {
    writeFileSync(path, "this is not a database, however long one looks at it".repeat(100));
    expect(failureOf(() => openEngine({ path }))).toMatchObject({
      name: "StoreError",
      problem: "corrupt",
      message: expect.stringContaining(`${path} is damaged. Move it away`) as string,
    });
  });

  test("half a file is refused as damaged", async () => {
    const engine = openEngine({ path });
    for (let i = 0; i < 20; i++) await insertOne(engine, "jobs", { text: "x".repeat(1_000) });
    await engine.close();
    truncateSync(path, 8_192);
    const failure = failureOf(() => openEngine({ path }));
    expect(failure).toBeInstanceOf(StoreError);
    expect(failure).toMatchObject({ problem: "corrupt" });
  });

  test("another program's database is refused and left unchanged", () => {
    const other = new DatabaseSync(path);
    other.exec("CREATE TABLE meta (name TEXT, value TEXT); INSERT INTO meta VALUES ('format', 'mine')");
    other.close();
    expect(failureOf(() => openEngine({ path }))).toMatchObject({ problem: "foreign" });
    const reopened = new DatabaseSync(path);
    expect(reopened.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "delete" });
    reopened.close();
  });

  test("a file of a newer version is refused, with advice", async () => {
    await openEngine({ path }).close();
    const db = new DatabaseSync(path);
    db.exec("PRAGMA user_version = 99; UPDATE meta SET value = 99 WHERE name = 'format'");
    db.close();
    expect(failureOf(() => openEngine({ path }))).toMatchObject({
      problem: "newer_format",
      message: expect.stringMatching(/format 99.*Start the newer version/) as string,
    });
  });

  test("a file in a missing folder is refused, with advice", () => {
    expect(failureOf(() => openEngine({ path: join(folder, "none", "data") }))).toMatchObject({
      problem: "unreachable",
      message: expect.stringContaining("Check that its folder exists") as string,
    });
  });

  test("a file that this process has open is refused", async () => {
    const engine = openEngine({ path });
    expect(failureOf(() => openEngine({ path }))).toMatchObject({ problem: "locked" });
    await engine.close();
  });

  test("a file that another process has open is refused", async () => {
    const script = new URL("../commit/durability.child.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [script, path, "1"], { stdio: ["ignore", "pipe", "inherit"] });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    expect(failureOf(() => openEngine({ path }))).toMatchObject({
      problem: "locked",
      message: expect.stringContaining("in use by another process") as string,
    });
    child.kill("SIGKILL");
    await exited;
    await openEngine({ path }).close();
  });
});

describe.skipIf(process.platform === "win32")("permissions", () => {
  const modes = (): Record<string, string> =>
    Object.fromEntries(
      readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
    );
  let umask: number;

  beforeEach(() => {
    umask = process.umask(0o022);
    chmodSync(folder, 0o755);
  });
  afterEach(() => process.umask(umask));

  test("only the owner can read new files", async () => {
    const engine = openEngine({ path });
    await insertOne(engine, "jobs", { text: "private" });
    expect(modes()).toEqual({ "data.sqlite": "600", "data.sqlite-wal": "600" });
    await engine.close();
    expect(modes()).toEqual({ "data.sqlite": "600" });
  });

  test("only the owner can read files that an earlier program left open", async () => {
    await openEngine({ path }).close();
    chmodSync(path, 0o644);
    const engine = openEngine({ path });
    await insertOne(engine, "jobs", { text: "private" });
    expect(modes()).toEqual({ "data.sqlite": "600", "data.sqlite-wal": "600" });
    await engine.close();
  });
});

describe("closed files", () => {
  test("a reopened file is unchanged, and timestamps continue", async () => {
    const first = openEngine({ path, clocks: clocksAt(5_000) });
    first.applySchema([{ name: "jobs", indexes: [{ name: "by_state", fields: ["state"] }] }]);
    const id = await insertOne(first, "jobs", {
      state: "ready",
      big: { $integer: "AQAAAAAAAAA=" },
      odd: "\ud800",
    });
    const durable = first.durable();
    await first.close();

    const second = openEngine({ path, clocks: clocksAt(4_000) });
    expect(second.durable()).toBe(durable);
    expect(second.definitionOf("jobs")?.indexes).toEqual([{ name: "by_state", fields: ["state"] }]);
    const document = read(second, (transaction) => transaction.get(id));
    expect(document).toMatchObject({ state: "ready", big: { $integer: "AQAAAAAAAAA=" }, odd: "\ud800" });
    await insertOne(second, "jobs", { state: "ready" });
    expect(second.durable()).toBeGreaterThan(durable);
    await second.close();
  });

  test("a commit right before the close is kept", async () => {
    const first = openEngine({ path });
    const transaction = first.begin();
    const id = transaction.insert("jobs", {});
    const committed = first.commit(transaction);
    await first.close();
    expect((await committed).kind).toBe("committed");
    const second = openEngine({ path });
    expect(read(second, (later) => later.get(id))).not.toBeNull();
    await second.close();
  });
});
