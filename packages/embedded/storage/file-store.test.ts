import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openFileStore } from "./file-store.ts";

async function open() {
  const parent = await mkdtemp(join(tmpdir(), "file-store-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const folder = join(parent, "data.files");
  return { folder, store: await openFileStore(folder) };
}

test("written bytes are read back, whole or in part, and only the owner can read the files", async () => {
  const { folder, store } = await open();
  const key = randomUUID();
  const bytes = Buffer.alloc(300_000, "0123456789");
  const written = await store.write(key, Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]));
  expect(written).toEqual({ sha256: createHash("sha256").update(bytes).digest("base64"), size: 300_000 });
  expect(await buffer(store.read(key))).toEqual(bytes);
  expect((await buffer(store.read(key, { start: 3, end: 5 }))).toString()).toBe("345");
  expect(await store.sizeOf(key)).toBe(300_000);
  expect(await (await store.readAsBlob(key, "text/plain"))?.text()).toBe(bytes.toString());
  expect(await store.keys()).toEqual([key]);
  if (process.platform === "win32") return;
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, key))).mode & 0o777).toBe(0o600);
});

test("a failing source leaves nothing behind", async () => {
  const { folder, store } = await open();
  const key = randomUUID();
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(100_000);
    await Promise.reject(new Error("the client left"));
  }
  await expect(store.write(key, broken())).rejects.toThrow("the client left");
  expect([await readdir(folder), store.isPending(key)]).toEqual([[], false]);
});

test("bytes are pending from the start of the write until release", async () => {
  const { store } = await open();
  const key = randomUUID();
  let wasPending = false;
  const source = Readable.from(
    (function* () {
      wasPending = store.isPending(key);
      yield Buffer.from("x");
    })(),
  );
  await store.write(key, source);
  expect([wasPending, store.isPending(key)]).toEqual([true, true]);
  store.release(key);
  expect(store.isPending(key)).toBe(false);
});

test("a key is written once", async () => {
  const { store } = await open();
  const key = randomUUID();
  await store.write(key, Readable.from([Buffer.from("first")]));
  await expect(store.write(key, Readable.from([Buffer.from("second")]))).rejects.toThrow(/exists/);
  expect((await buffer(store.read(key))).toString()).toBe("first");
});

test("missing bytes have no size, can be removed, and are not listed", async () => {
  const { folder, store } = await open();
  const key = randomUUID();
  expect([await store.sizeOf(key), await store.readAsBlob(key, "")]).toEqual([null, null]);
  await store.remove(key);
  await writeFile(join(folder, `${key}.part`), "half");
  await writeFile(join(folder, "notes.txt"), "somebody's own");
  expect(await store.keys()).toEqual([]);
  await store.removePartial();
  expect(await readdir(folder)).toEqual(["notes.txt"]);
  expect(() => store.read("../data.sqlite3")).toThrow(RangeError);
});
