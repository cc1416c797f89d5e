import { createHash, randomBytes } from "node:crypto";
import { makeFunctionReference } from "convex/server";
import type { GenericId } from "convex/values";
import { expect, test } from "vitest";
import { api } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, liveClient, uniqueName } from "./deployment.ts";
import { watch } from "./watch.ts";

type File = { id: GenericId<"_storage"> };
type Document = { _id: string; _creationTime: number; sha256: string; size: number; contentType?: string };
type Blobbed = { bytes: ArrayBuffer; type: string };

const files = {
  generateUploadUrl: makeFunctionReference<"mutation", Record<string, never>, string>(
    "files:generateUploadUrl",
  ),
  url: makeFunctionReference<"query", File, string | null>("files:url"),
  urlOf: makeFunctionReference<"query", { id: string }, string | null>("files:urlOf"),
  document: makeFunctionReference<"query", File, Document | null>("files:document"),
  isListed: makeFunctionReference<"query", File, boolean>("files:isListed"),
  remove: makeFunctionReference<"mutation", File, string | null>("files:remove"),
  removeThenFail: makeFunctionReference<"mutation", File, never>("files:removeThenFail"),
  removeNested: makeFunctionReference<"mutation", File, boolean>("files:removeNested"),
  removeInAction: makeFunctionReference<"action", File, null>("files:removeInAction"),
  store: makeFunctionReference<"action", Blobbed & { sha256?: string }, File["id"]>("files:store"),
  read: makeFunctionReference<"action", File, Blobbed | null>("files:read"),
};

const client = httpClient();
const digestOf = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("base64");
const someBytes = (size: number) => Buffer.from(new Uint8Array(randomBytes(size)).buffer);

async function upload(body: BodyInit, headers: { [name: string]: string } = {}): Promise<Response> {
  const url = await client.mutation(files.generateUploadUrl, {});
  expect(url.startsWith(`${deployment.url}/api/storage/upload?token=`)).toBe(true);
  return fetch(url, { method: "POST", body, headers });
}

async function stored(body: BodyInit, type = "text/plain"): Promise<File["id"]> {
  const response = await upload(body, { "Content-Type": type });
  expect(response.status).toBe(200);
  return ((await response.json()) as { storageId: File["id"] }).storageId;
}

async function urlOf(id: File["id"]): Promise<string> {
  const url = await client.query(files.url, { id });
  if (url === null) throw new Error(`The file ${id} has no URL`);
  return url;
}

test("an uploaded file has a document and a URL that serves it", async () => {
  const bytes = someBytes(200_000);
  const id = await stored(bytes, "image/png");
  expect(await client.query(files.document, { id })).toEqual({
    _id: id,
    _creationTime: expect.any(Number),
    sha256: digestOf(bytes),
    size: 200_000,
    contentType: "image/png",
  });
  expect(await client.query(files.isListed, { id })).toBe(true);
  const response = await fetch(await urlOf(id));
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "image/png",
    "content-length": "200000",
    "cache-control": "private, max-age=2592000",
    "accept-ranges": "bytes",
    digest: `sha-256=${digestOf(bytes)}`,
  });
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
});

test("an empty file can be stored and read", async () => {
  const id = await stored("");
  expect(await client.query(files.document, { id })).toMatchObject({ size: 0, sha256: digestOf("") });
  const response = await fetch(await urlOf(id), { headers: { Range: "bytes=0-0" } });
  expect([response.status, response.headers.get("content-range"), await response.text()]).toEqual([
    200,
    null,
    "",
  ]);
});

test("a part of a file is served", async () => {
  const response = await fetch(await urlOf(await stored("0123456789", "audio/mpeg")), {
    headers: { Range: "bytes=2-4" },
  });
  expect([response.status, await response.text()]).toEqual([206, "234"]);
  expect(response.headers.get("content-range")).toBe("bytes 2-4/10");
  expect(response.headers.get("content-type")).toBe("audio/mpeg");
});

test("the digest of an upload is checked", async () => {
  const Digest = `sha-256=${digestOf("hello world")}`;
  expect((await upload("hello world", { Digest })).status).toBe(200);
  expect((await upload("hello", { Digest })).status).toBe(400);
});

test("uploads require a URL from the deployment", async () => {
  const response = await fetch(`${deployment.url}/api/storage/upload?token=coffee`, {
    method: "POST",
    body: "x",
  });
  expect([response.status, await response.json()]).toMatchObject([401, { code: "StorageTokenInvalid" }]);
});

test("deleting a file ends its URL and updates subscribers", async () => {
  const id = await stored("short-lived");
  const url = await urlOf(id);
  const watching = watch(liveClient(), files.url, { id });
  await watching.until((seen) => seen === url);
  expect(await client.mutation(files.remove, { id })).toBe(null);
  await watching.until((seen) => seen === null);
  expect(await client.query(files.document, { id })).toBe(null);
  expect(await client.action(files.read, { id })).toBe(null);
  const response = await fetch(url);
  expect([response.status, await response.json()]).toMatchObject([404, { code: "FileNotFound" }]);
  await expect(client.mutation(files.remove, { id })).rejects.toThrow(/storage id \S+ not found/);
});

test("a failed mutation deletes nothing, and neither does a nested one", async () => {
  const id = await stored("precious");
  await expect(client.mutation(files.removeThenFail, { id })).rejects.toThrow("changed my mind");
  expect(await client.mutation(files.removeNested, { id })).toBe(true);
  expect(await (await fetch(await urlOf(id))).text()).toBe("precious");
});

test("an invalid file id is refused", async () => {
  await expect(client.query(files.urlOf, { id: "nonsense" })).rejects.toThrow(
    "Invalid argument `storageId` for `storage.getUrl`",
  );
  const message = await client.mutation(api.messages.send, { channel: uniqueName(), body: "no file" });
  await expect(client.query(files.urlOf, { id: message })).rejects.toThrow("Invalid storage ID");
  expect(await client.query(files.urlOf, { id: crypto.randomUUID() })).toBe(null);
});

test("an action stores, reads and deletes files", async () => {
  const bytes = new Uint8Array(someBytes(50_000)).buffer;
  const type = "application/x-test";
  const id = await client.action(files.store, { bytes, type, sha256: digestOf(new Uint8Array(bytes)) });
  const read = await client.action(files.read, { id });
  expect(read?.type).toBe(type);
  expect(Buffer.from(read?.bytes ?? new ArrayBuffer(0)).equals(Buffer.from(bytes))).toBe(true);
  expect(await client.query(files.document, { id })).toMatchObject({ size: 50_000, contentType: type });
  await expect(client.action(files.store, { bytes, type, sha256: digestOf("other") })).rejects.toThrow();
  await client.action(files.removeInAction, { id });
  expect(await client.query(files.url, { id })).toBe(null);
});
