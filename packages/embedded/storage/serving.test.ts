import { expect, test } from "vitest";
import { startWithFiles } from "./storage.fixture.ts";

async function served(body: string, type?: string) {
  const { call, stored } = await startWithFiles();
  const id = await stored(Buffer.from(body), type === undefined ? {} : { "content-type": type });
  const url = await call<string>("query", "url", { id });
  return (headers: { [name: string]: string } = {}, method = "GET") => fetch(url, { method, headers });
}

const answer = async (response: Response) => [
  response.status,
  response.headers.get("content-range"),
  response.headers.get("content-length"),
  await response.text(),
];

test("byte ranges are served, except beyond the end", async () => {
  const get = await served("0123456789", "audio/mpeg");
  const part = await get({ range: "bytes=2-4" });
  expect(part.headers.get("content-type")).toBe("audio/mpeg");
  expect(await answer(part)).toEqual([206, "bytes 2-4/10", "3", "234"]);
  expect(await answer(await get({ range: "bytes=-3" }))).toEqual([206, "bytes 7-9/10", "3", "789"]);
  expect(await answer(await get({ range: "bytes=8-" }))).toEqual([206, "bytes 8-9/10", "2", "89"]);
  expect(await answer(await get({ range: "bytes=10-" }))).toEqual([416, "bytes */10", "0", ""]);
  expect(await answer(await get({ range: "bytes=0-1,3-4" }))).toEqual([200, null, "10", "0123456789"]);
  expect(await answer(await get({ range: "lines=1" }))).toEqual([200, null, "10", "0123456789"]);
});

test("an empty file is served whole", async () => {
  const get = await served("", "text/plain");
  expect(await answer(await get())).toEqual([200, null, "0", ""]);
  expect(await answer(await get({ range: "bytes=0-0" }))).toEqual([200, null, "0", ""]);
});

test("HEAD returns everything but the bytes", async () => {
  const get = await served("0123456789", "text/plain");
  const head = await get({}, "HEAD");
  expect(await answer(head)).toEqual([200, null, "10", ""]);
  const full = await get();
  expect(await full.text()).toBe("0123456789");
  expect(head.headers.get("digest")).toBe(full.headers.get("digest"));
  expect(await answer(await get({ range: "bytes=0-4" }, "HEAD"))).toEqual([206, "bytes 0-4/10", "5", ""]);
});

test("a client with the same content gets 304, and one with other content gets the whole file", async () => {
  const get = await served("0123456789");
  const first = await get();
  const etag = first.headers.get("etag") ?? "";
  expect(await answer(first)).toEqual([200, null, "10", "0123456789"]);
  expect(await answer(await get({ "if-none-match": etag }))).toEqual([304, null, null, ""]);
  const whole = [200, null, "10", "0123456789"];
  expect(await answer(await get({ "if-none-match": '"another"' }))).toEqual(whole);
  const range = "bytes=0-1";
  expect(await answer(await get({ range, "if-range": etag }))).toEqual([206, "bytes 0-1/10", "2", "01"]);
  expect(await answer(await get({ range, "if-range": '"another"' }))).toEqual(whole);
});

test.each([
  ["text/html", "attachment"],
  ["image/svg+xml", "attachment"],
  ["application/xhtml+xml", "attachment"],
  [undefined, "attachment"],
  ["image/png", "inline"],
  ["video/mp4", "inline"],
])("a file uploaded as %s cannot execute on the deployment's origin", async (type, disposition) => {
  const get = await served("<script>alert(1)</script>", type);
  const response = await get({ origin: "https://page.example.org" });
  expect(await response.text()).toContain("alert");
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-disposition": disposition,
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "access-control-allow-origin": "https://page.example.org",
  });
  expect(response.headers.get("content-type")).toBe(type ?? null);
});
