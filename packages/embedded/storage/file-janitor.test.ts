import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { openEngine } from "../engine/engine.ts";
import { systemTablesOf } from "../runtime/tables/system-tables.ts";
import { deleteFile, fileById } from "./file-rows.ts";
import { filesFolderOf, openFiles } from "./open-files.ts";

const deadline = { timeout: 60_000, interval: 20 };

async function open(
  dataFile?: string,
  onError: (error: unknown) => void = (error) => expect.unreachable(String(error)),
) {
  const folder = dataFile === undefined ? await mkdtemp(join(tmpdir(), "janitor-")) : null;
  const file = dataFile ?? join(folder ?? "", "data.sqlite3");
  const engine = openEngine({ path: file });
  engine.applySchema(systemTablesOf(""));
  const files = await openFiles({
    engine,
    dataFile: file,
    baseUrl: () => "https://files.example.org",
    secret: "secret",
    maxFileBytes: 1_000_000,
    beforeBlob: () => undefined,
    onError,
  });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await files.close();
    await engine.close();
  };
  onTestFinished(async () => {
    await close();
    if (folder !== null) await rm(folder, { recursive: true });
  });
  const { storage, janitor } = files;
  return {
    ...files,
    file,
    close,
    save: async (text: string) => {
      const stored = await storage.save({
        component: "",
        bytes: Readable.from([Buffer.from(text)]),
        contentType: null,
        expectedSha256: null,
      });
      return stored.kind === "stored" ? stored.id : expect.unreachable(stored.kind);
    },
    remove: (id: string) =>
      storage.commit((transaction) => {
        const found = fileById(transaction, id);
        if (found !== null) deleteFile(transaction, found);
      }),
    names: () => readdir(filesFolderOf(file)),
    janitor,
  };
}

test("bytes without a row after a crash are swept at the start, and nothing else", async () => {
  const first = await open();
  await first.save("kept");
  const removed = await first.save("deleted, but its bytes were still there at the crash");
  await first.remove(removed);
  const folder = filesFolderOf(first.file);
  await writeFile(join(folder, randomUUID()), "whole, but its row was never committed");
  await writeFile(join(folder, `${randomUUID()}.part`), "half of it");
  expect(await first.names()).toHaveLength(4);
  await first.close();

  const second = await open(first.file);
  second.janitor.start();
  await second.janitor.idle();
  expect(await second.names()).toHaveLength(1);
});

test("a sweep keeps bytes that an upload is about to commit", async () => {
  const { storage, janitor, names } = await open();
  const key = randomUUID();
  await storage.store.write(key, Readable.from([Buffer.from("written")]));
  let more: () => void = () => undefined;
  const isHalfWritten = new Promise<void>((resolve) => (more = resolve));
  const uploading = storage.save({
    component: "",
    bytes: (async function* () {
      yield Buffer.alloc(100_000);
      await isHalfWritten;
    })(),
    contentType: null,
    expectedSha256: null,
  });
  await vi.waitFor(async () => expect(await names()).toHaveLength(2), deadline);
  await janitor.sweep();
  expect(await names()).toHaveLength(2);
  more();
  expect((await uploading).kind).toBe("stored");
  storage.store.release(key);
  await janitor.sweep();
  expect(await names()).toHaveLength(1);
});

test("a sweep during many saves and deletions loses no file with a row", async () => {
  const { storage, janitor, save, remove, names } = await open();
  janitor.start();
  const work = Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      const kept: string[] = [];
      for (let count = 0; count < 12; count += 1) {
        const id = await save(`${String(writer)} ${String(count)}`);
        if (count % 3 === 0) await remove(id);
        else kept.push(id);
      }
      return kept;
    }),
  );
  let isWorking = true;
  void work.finally(() => (isWorking = false));
  while (isWorking) await janitor.sweep();
  const kept = (await work).flat();
  await vi.waitFor(async () => expect(await names()).toHaveLength(kept.length), deadline);
  const keys = await storage.store.keys();
  for (const id of kept) {
    expect(keys).toContain(storage.read((transaction) => fileById(transaction, id))?.key);
  }
});

test("the bytes of deleted files stay during a hold", async () => {
  const { janitor, save, remove, names } = await open();
  janitor.start();
  const [first, second] = [await save("first"), await save("second")];
  const release = await janitor.hold();
  await remove(first);
  await janitor.sweep();
  await janitor.idle();
  expect(await names()).toHaveLength(2);
  release();
  release();
  await vi.waitFor(async () => expect(await names()).toHaveLength(1), deadline);
  await remove(second);
  await vi.waitFor(async () => expect(await names()).toEqual([]), deadline);
});

test("a file that cannot be removed does not block others, and is retried", async () => {
  const errors: unknown[] = [];
  const { file, storage, janitor, save, remove, names } = await open(undefined, (error) =>
    errors.push(error),
  );
  const [stuck, other] = [await save("stuck"), await save("other")];
  const key = storage.read((transaction) => fileById(transaction, stuck))?.key ?? "";
  const path = join(filesFolderOf(file), key);
  await rm(path);
  await mkdir(path);
  await remove(stuck);
  await remove(other);
  janitor.start();
  await vi.waitFor(async () => expect(await names()).toEqual([key]), deadline);
  expect(errors.length).toBeGreaterThan(0);
  await rmdir(path);
  await writeFile(path, "stuck");
  const last = await save("last");
  await remove(last);
  await vi.waitFor(async () => expect(await names()).toEqual([]), deadline);
});

test("the folder of an in-memory database is removed with it", async () => {
  const before = await temporaryFolders();
  const { close, save } = await open(":memory:");
  await save("fleeting");
  const [folder] = (await temporaryFolders()).filter((name) => !before.includes(name));
  expect(folder).toBeDefined();
  await close();
  expect(await temporaryFolders()).not.toContain(folder);
});

async function temporaryFolders(): Promise<readonly string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith("files-"));
}
