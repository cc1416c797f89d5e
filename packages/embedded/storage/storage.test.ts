import { expect, test, vi } from "vitest";
import { collectGarbage } from "../runtime/execution/memory/collect-garbage.ts";
import { sha256Of, someBytes, startWithFiles } from "./storage.fixture.ts";

const deadline = { timeout: 60_000, interval: 20 };

test("an uploaded file has a document, a URL and its bytes", async () => {
  const { backend, call, stored, names } = await startWithFiles();
  const bytes = someBytes(500_000);
  const id = await stored(bytes, { "content-type": "image/png" });

  const document = await call<{ _creationTime: number }>("query", "document", {
    id,
  });
  const { _creationTime } = document;
  expect(document).toEqual({
    _id: id,
    _creationTime,
    size: 500_000,
    sha256: sha256Of(bytes),
    contentType: "image/png",
  });
  expect(_creationTime).toBeGreaterThan(1.7e12);
  expect(await call("query", "list")).toEqual([document]);
  expect(await call("query", "largerThan", { size: 499_999 })).toEqual([id]);

  const url = await call<string>("query", "url", { id });
  expect(url).toMatch(new RegExp(`^${backend.url}/api/storage/[0-9a-f-]{36}$`));
  const response = await fetch(url);
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "image/png",
    "content-length": "500000",
    "cache-control": "private, max-age=2592000",
    "accept-ranges": "bytes",
    digest: `sha-256=${sha256Of(bytes)}`,
    "x-content-type-options": "nosniff",
    "content-disposition": "inline",
  });
  expect(await names()).toHaveLength(1);
});

test("the UUID in a URL also names the file, as in the older metadata API", async () => {
  const { call, stored } = await startWithFiles();
  const id = await stored("hello", { "content-type": "text/plain" });
  const metadata = await call<{ storageId: string }>("query", "oldMetadata", { id });
  const hex = Buffer.from(sha256Of("hello"), "base64").toString("hex");
  const { storageId } = metadata;
  expect(metadata).toEqual({ storageId, sha256: hex, size: 5, contentType: "text/plain" });
  const url = await call<string>("query", "url", { id });
  expect(url.endsWith(`/${storageId}`)).toBe(true);
  expect(await call("query", "url", { id: storageId })).toBe(url);
  expect(await call("action", "actionUrl", { id: storageId })).toEqual([url, metadata]);
  expect(await call("query", "url", { id: crypto.randomUUID() })).toBe(null);
  await call("mutation", "remove", { id: storageId });
  expect(await call("query", "url", { id })).toBe(null);
});

test("a file that an action stores without waiting is not stored", async () => {
  const { call, names } = await startWithFiles();
  await call("action", "leavesStore", { mebibytes: 16 });
  await expect.poll(names, deadline).toEqual([]);
  expect(await call("query", "list")).toEqual([]);
});

test("an action reads a part of a file that is too large for memory", async () => {
  const { call, stored } = await startWithFiles();
  const size = 65 * 1024 * 1024;
  const id = await stored(Buffer.alloc(size, 7));
  expect(await call("action", "end", { id })).toEqual({ size, last: 7 });
});

test("an action stores the bytes of a Blob, which stays as it is", async () => {
  const { call } = await startWithFiles();
  const text = "0123456789".repeat(40_000);
  const { ids, ...blob } = await call<{ ids: string[]; text: string }>("action", "storeAndRead", { text });
  expect(blob).toEqual({ text });
  for (const id of ids) {
    const stored = await call<{ bytes: ArrayBuffer }>("action", "read", { id });
    expect(Buffer.from(stored.bytes).toString()).toBe(text);
  }
});

test("the memory of stored Blobs is given back by the next collection", async () => {
  const { call } = await startWithFiles();
  const mib = 1024 * 1024;
  const collected = async (): Promise<number> => {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
    return process.memoryUsage().arrayBuffers;
  };
  await call("action", "storeMany", { count: 1 });
  const before = await collected();
  await call("action", "storeMany", { count: 7 });
  expect((await collected()) - before).toBeLessThan(4 * mib);
});

test("an id that is not a file's is refused", async () => {
  const { call } = await startWithFiles();
  await expect(call("query", "url", { id: "nonsense" })).rejects.toThrow(
    "Invalid argument `storageId` for `storage.getUrl`",
  );
  const note = await call<string>("mutation", "addNote");
  await expect(call("query", "url", { id: note })).rejects.toThrow("Invalid storage ID");
});

test("a deleted file is gone at once, and its bytes soon after", async () => {
  const { call, stored, names } = await startWithFiles();
  const [kept, id, other] = [await stored("kept"), await stored("gone"), await stored("gone too")];
  const url = await call<string>("query", "url", { id });
  expect(await call("mutation", "remove", { id })).toBe(null);
  const response = await fetch(url);
  expect([response.status, await response.json()]).toMatchObject([404, { code: "FileNotFound" }]);
  expect([await call("query", "document", { id }), await call("action", "read", { id })]).toEqual([
    null,
    null,
  ]);
  await call("action", "removeInAction", { id: other });
  await expect(call("mutation", "remove", { id })).rejects.toThrow(`storage id ${id} not found`);
  await expect(call("action", "removeInAction", { id: other })).rejects.toThrow("not found");
  await vi.waitFor(async () => expect(await names()).toHaveLength(1), deadline);
  expect(await call<{ _id: string }[]>("query", "list")).toMatchObject([{ _id: kept }]);
});

test("a failed mutation deletes nothing, and neither does a nested one", async () => {
  const { call, stored, names } = await startWithFiles();
  const id = await stored("precious");
  const url = await call<string>("query", "url", { id });
  await expect(call("mutation", "removeThenFail", { id })).rejects.toThrow("changed my mind");
  expect(await call("mutation", "removeNested", { id })).toBe(url);
  // Deleting another file shows that the janitor has run since.
  const other = await stored("other");
  const otherUrl = await call<string>("query", "url", { id: other });
  await call("mutation", "remove", { id: other });
  expect(await (await fetch(otherUrl)).text()).toContain("FileNotFound");
  await vi.waitFor(async () => expect(await names()).toHaveLength(1), deadline);
  expect(await (await fetch(url)).text()).toBe("precious");
});

test("actions store and read blobs", async () => {
  const { call } = await startWithFiles();
  const bytes = someBytes(70_000);
  const buffer = new Uint8Array(bytes).buffer;
  const id = await call<string>("action", "store", { bytes: buffer, type: "application/x-test" });
  const read = await call<{ bytes: ArrayBuffer }>("action", "read", { id });
  expect(read).toEqual({ bytes: buffer, type: "application/x-test", size: 70_000 });
  expect(Buffer.from(read.bytes).equals(bytes)).toBe(true);
  const untyped = await call<string>("action", "store", { bytes: new ArrayBuffer(0), type: "" });
  expect(await call("query", "document", { id: untyped })).toMatchObject({ contentType: null, size: 0 });
  expect(await call("action", "read", { id: untyped })).toMatchObject({ type: "", size: 0 });

  const digest = sha256Of(bytes);
  await call("action", "store", { bytes: buffer, type: "", sha256: digest });
  const wrong = { bytes: new ArrayBuffer(1), type: "", sha256: digest };
  await expect(call("action", "store", wrong)).rejects.toThrow("Sha256 mismatch");
  expect(await call<{ _id: string }[]>("query", "list")).toHaveLength(3);
});

test("HTTP actions store and read blobs", async () => {
  const { backend } = await startWithFiles();
  const body = someBytes(300_000);
  const headers = { "content-type": "audio/mpeg" };
  const posted = await fetch(`${backend.siteUrl}/files`, { method: "POST", body, headers });
  const { storageId } = (await posted.json()) as { storageId: string };
  const response = await fetch(`${backend.siteUrl}/files?id=${storageId}`);
  expect(response.headers.get("content-type")).toBe("audio/mpeg");
  expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
});

test("functions cannot write the table, read its hidden part, or store from a mutation", async () => {
  const { call, stored } = await startWithFiles();
  const id = await stored("x");
  for (const name of ["insertRow", "patchRow", "deleteRow"]) {
    const written = call("mutation", name, name === "insertRow" ? {} : { id });
    await expect(written).rejects.toThrow(/read-only|can only be accessed with db\.system/);
  }
  expect(await call("query", "internals")).toEqual([]);
  await expect(call("mutation", "storeInMutation")).rejects.toThrow("not supported in queries and mutations");
});

test("files outlive the backend, unless the database is in memory", async () => {
  const first = await startWithFiles();
  const id = await first.stored("still here");
  const second = await first.restart();
  const url = await second.call<string>("query", "url", { id });
  expect(await (await fetch(url)).text()).toBe("still here");

  const fleeting = await startWithFiles({ dataFile: ":memory:" });
  const other = await fleeting.stored("fleeting");
  expect(await (await fetch(await fleeting.call<string>("query", "url", { id: other }))).text()).toBe(
    "fleeting",
  );
});

test("file URLs use the deployment's public URL", async () => {
  const { call, backend } = await startWithFiles({ publicUrl: "https://api.example.org" });
  const uploadUrl = await call<string>("action", "generateUploadUrlInAction");
  expect(uploadUrl.startsWith("https://api.example.org/api/storage/upload?token=")).toBe(true);
  const here = uploadUrl.replace("https://api.example.org", backend.url);
  const { storageId } = (await (await fetch(here, { method: "POST", body: "x" })).json()) as {
    storageId: string;
  };
  expect(await call("query", "url", { id: storageId })).toMatch(
    /^https:\/\/api\.example\.org\/api\/storage\//,
  );
});
