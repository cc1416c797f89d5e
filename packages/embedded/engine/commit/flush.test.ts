import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { all, collect, insertOne, read } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import { EngineFailedError } from "../model/errors.ts";
import type { Engine } from "../model/types.ts";
import { WalFile } from "../store/wal-file.ts";

let folder: string;
let path: string;
let engine: Engine;
let release: (error?: Error) => void;
const sync = WalFile.prototype.sync;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "engine-flush-"));
  path = join(folder, "data.sqlite");
  engine = openEngine({ path });
  await insertOne(engine, "jobs", { n: 0 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Makes the next sync of the WAL wait for `release`, with the disk's error if it has one. */
function holdNextSync(): void {
  vi.spyOn(WalFile.prototype, "sync").mockImplementationOnce(function (this: WalFile, done) {
    release = (error) => {
      if (error === undefined) sync.call(this, done);
      else done(error);
    };
  });
}

async function commitHeld(n: number): Promise<{ id: Promise<string>; isAcknowledged: () => boolean }> {
  let ended = false;
  const id = insertOne(engine, "jobs", { n });
  id.then(
    () => (ended = true),
    () => (ended = true),
  );
  await pause();
  return { id, isAcknowledged: () => ended };
}

/** Lets the flushes that are due begin. */
async function pause(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function numbers(from: Engine): unknown[] {
  return read(from, (transaction) => collect(transaction, all("jobs"))).map(({ n }) => n);
}

test("a commit is acknowledged and told to subscribers only when the disk has it", async () => {
  const before = engine.durable();
  const heard = vi.fn();
  engine.subscribe({ ranges: [all("jobs")], size: 1 }, before, heard);
  holdNextSync();
  const { id, isAcknowledged } = await commitHeld(1);
  expect(numbers(engine)).toEqual([0, 1]);
  expect([isAcknowledged(), heard.mock.calls.length, engine.durable()]).toEqual([false, 0, before]);
  release();
  await id;
  expect(heard.mock.calls).toEqual([[engine.durable()]]);
});

test("commits made while the disk writes share the next flush", async () => {
  const { flushes } = engine.stats();
  holdNextSync();
  const first = await commitHeld(1);
  const others = [await commitHeld(2), await commitHeld(3), await commitHeld(4)];
  release();
  await first.id;
  expect(others.some(({ isAcknowledged }) => isAcknowledged())).toBe(false);
  await Promise.all(others.map(({ id }) => id));
  expect(engine.stats().flushes).toBe(flushes + 2);
});

test("a schema change while the disk writes puts all earlier commits on disk", async () => {
  holdNextSync();
  const first = await commitHeld(1);
  const second = await commitHeld(2);
  engine.applySchema([{ name: "jobs", indexes: [{ name: "by_n", fields: ["n"] }] }]);
  await Promise.all([first.id, second.id]);
  const { flushes } = engine.stats();
  release();
  await pause();
  expect(engine.stats().flushes).toBe(flushes);
  await insertOne(engine, "jobs", { n: 3 });
  expect(numbers(engine)).toEqual([0, 1, 2, 3]);
});

test("the engine refuses all work after a failed sync, because nobody knows what the disk has", async () => {
  holdNextSync();
  const first = await commitHeld(1);
  const second = await commitHeld(2);
  release(new Error("I/O error"));
  await expect(first.id).rejects.toThrow(EngineFailedError);
  await expect(second.id).rejects.toThrow(EngineFailedError);
  expect(() => engine.begin()).toThrow(EngineFailedError);
});

test("closing while the disk writes keeps all commits", async () => {
  const committed = [1, 2, 3].map((n) => insertOne(engine, "jobs", { n }));
  await new Promise((resolve) => setImmediate(resolve));
  committed.push(insertOne(engine, "jobs", { n: 4 }));
  await engine.close();
  await Promise.all(committed);
  const again = openEngine({ path });
  expect(numbers(again)).toEqual([0, 1, 2, 3, 4]);
  await again.close();
});
