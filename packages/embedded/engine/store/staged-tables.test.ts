import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StagingFile } from "../../backup/import/staging-file.ts";
import { encodeDocumentId } from "../../values/document-id.ts";
import { all, collect, insertOne, mutate, read, where } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import type { Engine, StagedTable, Timestamp } from "../model/types.ts";

const jobs = { name: "jobs", indexes: [{ name: "by_n", fields: ["n"] }] };
let folder: string;
let engine: Engine;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "engine-staged-"));
  engine = openEngine({ path: join(folder, "data.sqlite") });
  engine.applySchema([jobs]);
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const idOf = (tableNumber: number, n: number) =>
  encodeDocumentId({ tableNumber, internalId: new Uint8Array(16).fill(n) });

/** Stages documents {n} for jobs under a table number. */
function stage(number: number, numbers: readonly number[], append = false) {
  const file = join(folder, `staging-${String(Math.random())}`);
  const staging = new StagingFile(file);
  staging.declare("jobs", jobs.indexes);
  for (const n of numbers) staging.add("jobs", { n, _id: idOf(number, n), _creationTime: n });
  staging.close();
  const table: StagedTable = { ...jobs, number, append };
  return { file, tables: [table], drop: [] };
}

const numbersIn = (from: Engine) =>
  read(from, (transaction) => collect(transaction, where(from, "jobs", "by_n")).map(({ n }) => n));

test("placing a staged table replaces the present one, with its own ids and number", async () => {
  await insertOne(engine, "jobs", { n: 99 });
  expect(engine.placeTables(stage(20_000, [2, 1])).kind).toBe("done");
  expect(numbersIn(engine)).toEqual([1, 2]);
  expect(read(engine, (transaction) => transaction.get(idOf(20_000, 1)))).toMatchObject({ n: 1 });
  expect(engine.tables().find(({ name }) => name === "jobs")?.number).toBe(20_000);
  const id = await insertOne(engine, "jobs", { n: 3 });
  expect(read(engine, (transaction) => transaction.tableOf(id))).toBe("jobs");
  expect(engine.countDocuments("jobs")).toBe(3);
});

test("a placed table survives a restart", async () => {
  engine.placeTables(stage(20_000, [2, 1]));
  await engine.close();
  engine = openEngine({ path: join(folder, "data.sqlite") });
  engine.applySchema([jobs]);
  expect(numbersIn(engine)).toEqual([1, 2]);
});

test("placing appends rows, and refuses a taken id without changing anything", async () => {
  engine.placeTables(stage(20_000, [1, 2]));
  expect(engine.placeTables(stage(20_000, [3], true)).kind).toBe("done");
  expect(engine.placeTables(stage(20_000, [4, 3], true))).toMatchObject({
    kind: "refused",
    reason: expect.stringContaining(idOf(20_000, 3)) as string,
  });
  expect(numbersIn(engine)).toEqual([1, 2, 3]);
  await insertOne(engine, "jobs", { n: 5 });
  expect(numbersIn(engine)).toEqual([1, 2, 3, 5]);
});

test("placing refuses a number that another table has", async () => {
  await insertOne(engine, "others", { n: 1 });
  const taken = engine.tables().find(({ name }) => name === "others")?.number ?? 0;
  expect(engine.placeTables(stage(taken, [1]))).toMatchObject({
    kind: "refused",
    reason: 'The ids of table "jobs" conflict with those of the existing table "others".',
  });
});

test("a transaction that spans a placing conflicts, and subscribers are called once", async () => {
  await insertOne(engine, "jobs", { n: 1 });
  const transaction = engine.begin();
  collect(transaction, all("jobs"));
  transaction.insert("jobs", { n: 7 });
  const reader = engine.begin();
  collect(reader, all("jobs"));
  const told: Timestamp[] = [];
  engine.subscribe(reader.readSet, reader.snapshot, (ts) => told.push(ts));
  engine.discard(reader);
  const placed = engine.placeTables(stage(20_000, [2]));
  expect((await engine.commit(transaction)).kind).toBe("conflict");
  await expect.poll(() => told).toEqual([placed.kind === "done" ? placed.ts : 0n]);
  expect(numbersIn(engine)).toEqual([2]);
});

test("a copy made during commits has one commit's state, and the commits are kept", async () => {
  for (let n = 0; n < 200; n++) await insertOne(engine, "jobs", { n, text: "x".repeat(2_000) });
  let going = true;
  let last = 0;
  const writer = (async () => {
    // Each commit has two documents: a copy with an odd number would hold half a commit.
    while (going) {
      await mutate(engine, (transaction) => {
        transaction.insert("jobs", { n: 1_000 + last });
        transaction.insert("jobs", { n: 1_000 + last++ });
      });
    }
  })();
  const copies = [1, 2, 3].map((n) => join(folder, `copy-${String(n)}`));
  const made = await Promise.all(copies.map((file) => engine.copyTo(file)));
  going = false;
  await writer;
  expect(made).toEqual([...made].sort());
  for (const file of copies) {
    const copy = openEngine({ path: file });
    copy.applySchema([jobs]);
    const count = numbersIn(copy).length;
    expect(count).toBeGreaterThanOrEqual(200);
    expect(count % 2).toBe(0);
    expect(copy.durable()).toBe(made[copies.indexOf(file)]);
    await copy.close();
  }
  expect(numbersIn(engine)).toHaveLength(200 + 2 * last);
});

test("a copy is removed when the database is closed meanwhile", async () => {
  for (let n = 0; n < 50; n++) await insertOne(engine, "jobs", { n });
  const file = join(folder, "copy");
  const copied = engine.copyTo(file);
  await Promise.resolve();
  await engine.close();
  await expect(copied).rejects.toThrow();
  expect(existsSync(file)).toBe(false);
});

test("placed tables do not count as verified", () => {
  engine.setVerified(new Map([["jobs", "fingerprint"]]));
  expect(engine.verified().get("jobs")).toBe("fingerprint");
  engine.placeTables(stage(20_000, [1]));
  expect(engine.verified().size).toBe(0);
});

test("a full disk rolls a placing back, and the engine stays usable", async () => {
  await engine.close();
  engine = openEngine({ path: join(folder, "data.sqlite"), maxPages: 20 });
  engine.applySchema([jobs]);
  await insertOne(engine, "jobs", { n: 99 });
  const staged = stage(
    20_000,
    Array.from({ length: 250 }, (_, n) => n),
  );
  expect(() => engine.placeTables(staged)).toThrow("full");
  expect(numbersIn(engine)).toEqual([99]);
  await insertOne(engine, "jobs", { n: 100 });
  expect(numbersIn(engine)).toEqual([99, 100]);
  await engine.close();
  engine = openEngine({ path: join(folder, "data.sqlite") });
  engine.applySchema([jobs]);
  expect(numbersIn(engine)).toEqual([99, 100]);
  expect(engine.placeTables(staged).kind).toBe("done");
  expect(numbersIn(engine)).toHaveLength(250);
});
