import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { all, collect, insertOne, read } from "../../engine/engine.fixture.ts";
import { openEngine } from "../../engine/engine.ts";
import { completeRestore, makePending, readOutcome, replacedStateOf, undoRestore } from "./restore-swap.ts";

let folder: string;
let data: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restore-swap-"));
  data = join(folder, "data.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a database with one document, and one file beside it. */
async function state(database: string, files: string, name: string): Promise<bigint> {
  const engine = openEngine({ path: database });
  await insertOne(engine, "names", { name });
  const ts = engine.durable();
  await engine.close();
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, name), name);
  return ts;
}

async function namesIn(): Promise<unknown[]> {
  const engine = openEngine({ path: data });
  const names = read(engine, (transaction) => collect(transaction, all("names")).map(({ name }) => name));
  await engine.close();
  return names;
}

async function pending(name: string): Promise<void> {
  const unpacked = join(folder, "unpacked");
  await state(join(folder, "unpacked.sqlite"), join(unpacked, "files"), name);
  renameSync(join(folder, "unpacked.sqlite"), join(unpacked, "database.sqlite"));
  makePending(data, unpacked, `id-${name}`);
}

async function expectState(name: string, other: string): Promise<void> {
  expect(await namesIn()).toEqual([name]);
  expect(readFileSync(join(`${data}.files`, name), "utf8")).toBe(name);
  expect(existsSync(join(`${data}.files`, other))).toBe(false);
  expect(existsSync(`${data}.restore`)).toBe(false);
}

test("the pending state replaces the present one, and undo brings that back", async () => {
  await state(data, `${data}.files`, "old");
  await pending("new");
  completeRestore(data);
  await expectState("new", "old");
  expect(readOutcome(data)).toEqual({
    id: "id-new",
    kind: "done",
    undo: replacedStateOf(data),
    carried: "none",
  });
  expect(undoRestore(data, "back")).toBe(true);
  completeRestore(data);
  await expectState("old", "new");
  expect(undoRestore(data, "forth")).toBe(true);
  completeRestore(data);
  await expectState("new", "old");
});

test("a restore counts as failed if it was undone because the backend did not start", async () => {
  await state(data, `${data}.files`, "old");
  await pending("new");
  completeRestore(data);
  expect(undoRestore(data, "id-new", "no such table")).toBe(true);
  completeRestore(data);
  await expectState("old", "new");
  expect(readOutcome(data)).toEqual({ id: "id-new", kind: "failed", reason: "no such table" });
  expect(undoRestore(data, "forth")).toBe(true);
  completeRestore(data);
  expect(readOutcome(data)).toMatchObject({ id: "forth", kind: "done" });
});

test("a restore without a present state cannot be undone", async () => {
  await pending("new");
  completeRestore(data);
  await expectState("new", "old");
  expect(undoRestore(data, "back")).toBe(false);
});

test("the restored state is newer than any commit that clients have seen", async () => {
  const unpacked = join(folder, "unpacked");
  mkdirSync(unpacked);
  await state(join(unpacked, "database.sqlite"), join(unpacked, "files"), "new");
  const future = BigInt(Date.now() + 3_600_000) * 1_000_000n;
  await state(data, `${data}.files`, "old");
  const db = new DatabaseSync(data);
  db.prepare("UPDATE meta SET value = ? WHERE name = 'last_ts'").run(future);
  db.close();
  makePending(data, unpacked, "id");
  completeRestore(data);
  const engine = openEngine({ path: data });
  expect(engine.durable()).toBeGreaterThan(future);
  await engine.close();
});

/** States that a crash may leave: those after each of the swap's renames. */
const crashes: readonly ((path: string) => void)[] = [
  () => undefined,
  (path) => {
    mkdirSync(`${path}.before-restore.part`);
    renameSync(path, `${path}.before-restore.part/database.sqlite`);
  },
  (path) => renameSync(`${path}.restore/database.sqlite`, path),
  (path) => renameSync(`${path}.files`, `${path}.before-restore.part/files`),
  (path) => renameSync(`${path}.restore/files`, `${path}.files`),
  (path) => renameSync(`${path}.before-restore.part`, `${path}.before-restore`),
];

test.each(crashes.map((_, steps) => steps))(
  "a restore interrupted after %i steps is completed by the next start",
  async (steps) => {
    await state(data, `${data}.files`, "old");
    await pending("new");
    for (const step of crashes.slice(0, steps + 1)) step(data);
    completeRestore(data);
    await expectState("new", "old");
    expect(undoRestore(data, "back")).toBe(true);
    completeRestore(data);
    await expectState("old", "new");
  },
);

test("only the last replaced state is kept", async () => {
  await state(data, `${data}.files`, "first");
  for (const name of ["second", "third"]) {
    await pending(name);
    completeRestore(data);
  }
  await expectState("third", "first");
  undoRestore(data, "back");
  completeRestore(data);
  await expectState("second", "third");
  cpSync(data, join(folder, "unused"));
});
