import { createHmac } from "node:crypto";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { adminKey, sha256Of, someBytes, startWithFiles, type StorageFixture } from "./storage.fixture.ts";
import { issueUploadToken } from "./upload-token.ts";

const hourMs = 3_600_000;
const deadline = { timeout: 60_000, interval: 20 };
const limit = 1_000_000;

async function refused(response: Response): Promise<unknown> {
  return [response.status, ((await response.json()) as { code: string }).code];
}

async function nothingIsLeft({ call, names }: StorageFixture): Promise<void> {
  await vi.waitFor(async () => expect(await names()).toEqual([]), deadline);
  expect(await call("query", "list")).toEqual([]);
}

test("a given digest is checked", async () => {
  const fixture = await startWithFiles();
  const digest = `sha-256=${sha256Of("hello world")}`;
  expect(await refused(await fixture.upload("hello", { digest }))).toEqual([400, "Sha256Mismatch"]);
  expect(await refused(await fixture.upload("hello", { digest: "md5=x" }))).toEqual([400, "BadHeader"]);
  await nothingIsLeft(fixture);
  expect((await fixture.upload("hello world", { digest })).status).toBe(200);
});

test("an upload URL must be our own, and younger than an hour", async () => {
  const fixture = await startWithFiles();
  const secret = createHmac("sha256", adminKey).update("upload URLs").digest("hex");
  const post = (query: string) =>
    fetch(`${fixture.backend.url}/api/storage/upload${query}`, { method: "POST", body: "x" });
  const token = (issued: number, by = secret) => `?token=${issueUploadToken(by, "", issued)}`;
  expect(await refused(await post(""))).toEqual([400, "MissingToken"]);
  expect(await refused(await post("?token=coffee"))).toEqual([401, "StorageTokenInvalid"]);
  expect(await refused(await post(token(Date.now(), "guessed")))).toEqual([401, "StorageTokenInvalid"]);
  expect(await refused(await post(token(Date.now() - hourMs - 1)))).toEqual([401, "StorageTokenExpired"]);
  await nothingIsLeft(fixture);
  expect((await post(token(Date.now() - hourMs + 60_000))).status).toBe(200);
});

test("a file that is too large is refused, announced or not", async () => {
  const fixture = await startWithFiles({ maxFileBytes: limit });
  const message = "A file may have 1000000 bytes at most on this deployment.";
  const announced = await fixture.upload(someBytes(limit + 1));
  expect([announced.status, await announced.json()]).toEqual([413, { code: "FileTooLarge", message }]);

  const url = await fixture.call<string>("mutation", "generateUploadUrl");
  const chunk = someBytes(limit / 10);
  const body = new ReadableStream({
    start(controller) {
      for (let count = 0; count < 15; count += 1) controller.enqueue(chunk);
      controller.close();
    },
  });
  const streamed = await fetch(url, { method: "POST", body, duplex: "half" } as RequestInit);
  expect([streamed.status, await streamed.json()]).toEqual([413, { code: "FileTooLarge", message }]);
  await nothingIsLeft(fixture);

  const bytes = new Uint8Array(limit).buffer;
  const tooMuch = new Uint8Array(limit + 1).buffer;
  await fixture.call("action", "store", { bytes, type: "" });
  await expect(fixture.call("action", "store", { bytes: tooMuch, type: "" })).rejects.toThrow("larger than");
  expect((await fixture.upload(someBytes(limit))).status).toBe(200);
});

test("a client that leaves midway stores nothing", async () => {
  const fixture = await startWithFiles();
  const url = new URL(await fixture.call<string>("mutation", "generateUploadUrl"));
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => undefined);
  socket.write(
    `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 1000000\r\n\r\n`,
  );
  socket.write(someBytes(200_000));
  await vi.waitFor(async () => expect(await fixture.names()).toHaveLength(1), deadline);
  socket.destroy();
  await nothingIsLeft(fixture);
  expect((await fixture.upload("next")).status).toBe(200);
});

test("many concurrent uploads are stored completely, also with one URL", async () => {
  const fixture = await startWithFiles();
  const url = await fixture.call<string>("mutation", "generateUploadUrl");
  const bodies = Array.from({ length: 24 }, (_, index) => someBytes(index * 10_007));
  const ids = await Promise.all(
    bodies.map(async (body) => {
      const response = await fetch(url, { method: "POST", body });
      return ((await response.json()) as { storageId: string }).storageId;
    }),
  );
  expect(new Set(ids).size).toBe(24);
  await Promise.all(
    ids.map(async (id, index) => {
      const response = await fetch(await fixture.call<string>("query", "url", { id }));
      expect(Buffer.from(await response.arrayBuffer()).equals(bodies[index] as Buffer)).toBe(true);
    }),
  );
  expect(await fixture.names()).toHaveLength(24);
});

test("browsers may upload from any page, with a digest", async () => {
  const { call, upload } = await startWithFiles();
  const origin = "https://page.example.org";
  const preflight = await fetch(await call<string>("mutation", "generateUploadUrl"), {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "digest" },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("digest");
  const response = await upload("x", { origin });
  expect(response.headers.get("access-control-allow-origin")).toBe(origin);
});

test("invalid uploads are refused with a reason", async () => {
  const { backend, upload } = await startWithFiles();
  const at = (path: string, method: string) => fetch(`${backend.url}/api/storage/${path}`, { method });
  expect(await refused(await upload("x", { "content-type": "no type" }))).toEqual([400, "BadHeader"]);
  expect(await refused(await at("upload", "GET"))).toEqual([405, "MethodNotAllowed"]);
  expect(await refused(await at(crypto.randomUUID(), "DELETE"))).toEqual([405, "MethodNotAllowed"]);
  expect(await refused(await at(crypto.randomUUID(), "GET"))).toEqual([404, "FileNotFound"]);
  expect(await refused(await at("nonsense", "GET"))).toEqual([400, "InvalidStoragePath"]);
  const traversal = await new Promise<number | undefined>((resolve) => {
    const path = "/api/storage/..%2f..%2fdata.sqlite3";
    httpRequest(backend.url, { path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).end();
  });
  expect(traversal).toBe(400);
});
