import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest, type Server } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAdmission } from "../../admission/admission.ts";
import { createTokenVerifier } from "../../compose/create-token-verifier.ts";
import { silent } from "../../operations/log.ts";
import { limits } from "../../runtime/checks/limits.ts";
import type { FunctionRunner } from "../../runtime/contract/function-runner.ts";
import { localOrigins } from "../../wire/endpoint.ts";
import { hostCheck } from "../../wire/host-check.ts";
import { sourceOf } from "../../wire/request-source.ts";
import { closeServer, listen } from "../listen/listen.ts";
import { siteHandler } from "./site-handler.ts";

const unused = (): never => {
  throw new Error("not called by the site");
};
/** A runner that only answers HTTP actions. */
const actions = (runHttp: FunctionRunner["runHttp"]): FunctionRunner => ({
  runHttp,
  runQuery: unused,
  runMutation: unused,
  runAction: unused,
  runAny: unused,
  functionSpecs: unused,
});

let dir: string;
let server: Server;
let url: string;
let canceled: Promise<unknown>;
let onCanceled: (reason: unknown) => void;
/** Bytes of the flood that were requested. */
let pulled = 0;
let floodEnded: unknown;

function upperCase(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(Buffer.from(Buffer.from(chunk).toString().toUpperCase()));
    },
  });
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "site-"));
  await mkdir(join(dir, "console/assets"), { recursive: true });
  await writeFile(join(dir, "secret.txt"), "secret");
  await writeFile(join(dir, "console/index.html"), "<!doctype html>console");
  await writeFile(join(dir, "console/assets/index-Ab12Cd34.js"), "run()");
  await writeFile(join(dir, "console/empty.txt"), "");
  canceled = new Promise((resolve) => (onCanceled = resolve));
  const runner = actions((request) => Promise.resolve(respond(request)));
  function respond(request: Request): Response | null {
    const { pathname } = new URL(request.url);
    if (pathname === "/echo") return new Response(request.body, { status: 201, headers: request.headers });
    if (pathname === "/cookies")
      return new Response(null, {
        headers: [
          ["set-cookie", "a=1"],
          ["set-cookie", "b=2"],
        ],
      });
    if (pathname === "/length")
      return new Response("0123456789", {
        headers: { "content-length": request.headers.get("x-length") ?? "" },
      });
    if (pathname === "/strings") {
      const strings = new ReadableStream({
        start(controller) {
          controller.enqueue("text");
          controller.close();
        },
      });
      return new Response(strings);
    }
    if (pathname === "/redirect") return Response.redirect(new URL("/echo", request.url), 307);
    if (pathname === "/nothing-to-say") return new Response(null, { status: 204 });
    if (pathname === "/lines") return new Response(request.body?.pipeThrough(upperCase()));
    if (pathname === "/flood") {
      const flood = new ReadableStream<Uint8Array>({
        pull(controller) {
          pulled += 64 * 1024;
          controller.enqueue(new Uint8Array(64 * 1024));
        },
        cancel(reason) {
          floodEnded = reason;
        },
      });
      return new Response(flood);
    }
    if (pathname === "/endless") {
      const ticks = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          controller.enqueue(Buffer.from("tick\n"));
        },
        cancel: onCanceled,
      });
      return new Response(ticks);
    }
    return null;
  }
  server = createServer(
    siteHandler({
      admission: createAdmission(),
      runner,
      hasHttpActions: () => true,
      isAdminKey: () => false,
      tokens: createTokenVerifier(null),
      isAllowedHost: hostCheck("127.0.0.1"),
      sourceOf: sourceOf(false),
      staticFolders: [{ path: "/console", dir: join(dir, "console") }],
      apiOrigins: (host) => localOrigins("http://127.0.0.1:4210", host),
      log: silent,
      stopping: new AbortController().signal,
    }),
  );
  url = `http://127.0.0.1:${String(await listen(server, 0, "127.0.0.1"))}`;
});

afterAll(async () => {
  await closeServer(server, 0);
  await rm(dir, { recursive: true });
});

/** `fetch` would normalize such paths. */
function rawGet(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { path, headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, text });
      });
    })
      .on("error", reject)
      .end();
  });
}

test.each(["5", "500"])(
  "a body that is not as long as its header says ends the connection: %s",
  async (length) => {
    const answer = fetch(`${url}/length`, {
      headers: { "x-length": length },
      signal: AbortSignal.timeout(5_000),
    }).then((response) => response.text());
    await expect(answer).rejects.toThrow("terminated");
    const right = await fetch(`${url}/length`, { headers: { "x-length": "10" } });
    expect(await right.text()).toBe("0123456789");
  },
);

test("a body has bytes only, as on Convex", async () => {
  const response = await fetch(`${url}/strings`);
  await expect(response.text()).rejects.toThrow("terminated");
});

test("every client-side route gets the page, uncached, under a strict policy", async () => {
  for (const path of ["/console/", "/console/jobs/k17", "/console/index.html"]) {
    const response = await fetch(url + path);
    expect(await response.text()).toBe("<!doctype html>console");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self' http://127.0.0.1:4210 ws://127.0.0.1:4210");
    expect(policy).not.toContain("unsafe-eval");
  }
});

test("a client that has the file gets 304", async () => {
  const first = await fetch(`${url}/console/`);
  const again = await fetch(`${url}/console/`, {
    headers: { "If-None-Match": first.headers.get("etag") ?? "" },
  });
  expect([first.status, again.status]).toEqual([200, 304]);
});

test("hashed assets are immutable, missing ones are 404, empty ones are empty", async () => {
  const asset = await fetch(`${url}/console/assets/index-Ab12Cd34.js`);
  expect(asset.headers.get("cache-control")).toContain("immutable");
  expect(asset.headers.get("content-type")).toContain("text/javascript");
  expect((await fetch(`${url}/console/assets/index-other123.js`)).status).toBe(404);
  expect(await (await fetch(`${url}/console/empty.txt`)).text()).toBe("");
  expect((await fetch(`${url}/console/`, { method: "POST" })).status).toBe(405);
});

test.each(["/console/../secret.txt", "/console/%2e%2e/secret.txt", "/console/..%2fsecret.txt"])(
  "the path %s does not leave the static folder",
  async (path) => {
    expect(await rawGet(path)).toEqual({ status: 404, text: "Not found" });
  },
);

test("HTTP actions receive and send bodies, headers and cookies", async () => {
  const echoed = await fetch(`${url}/echo`, { method: "POST", body: "héllo", headers: { "X-Mine": "1" } });
  expect(echoed.status).toBe(201);
  expect(echoed.headers.get("x-mine")).toBe("1");
  expect(await echoed.text()).toBe("héllo");
  expect((await fetch(`${url}/cookies`)).headers.getSetCookie()).toEqual(["a=1", "b=2"]);
});

test("a path without a route is 404", async () => {
  const response = await fetch(`${url}/nothing/here`);
  expect([response.status, await response.text()]).toEqual([404, "No matching routes found"]);
});

test("the address without a path leads to the page, and a post there has no route", async () => {
  const response = await fetch(`${url}/?from=mail`, { redirect: "manual" });
  expect([response.status, response.headers.get("location")]).toEqual([302, "/console/"]);
  expect((await fetch(url, { method: "POST", body: "x" })).status).toBe(404);
});

test("an answer streams while the body is still arriving", async () => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket.write("POST /lines HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const word of ["one", "two"]) {
    socket.write(`3\r\n${word}\r\n`);
    await expect.poll(() => text).toContain(word.toUpperCase());
  }
  socket.end("0\r\n\r\n");
  await expect.poll(() => text).toMatch(/\r\n0\r\n\r\n$/);
});

test("redirects and empty answers are passed on", async () => {
  const redirected = await fetch(`${url}/redirect`, { method: "POST", body: "again", redirect: "manual" });
  expect([redirected.status, redirected.headers.get("location")]).toEqual([307, `${url}/echo`]);
  const followed = await fetch(`${url}/redirect`, { method: "POST", body: "again" });
  expect(await followed.text()).toBe("again");
  const empty = await fetch(`${url}/nothing-to-say`);
  expect([empty.status, await empty.text()]).toEqual([204, ""]);
});

test("a response is produced only as fast as its client reads, and cut if it is too large", async () => {
  pulled = 0;
  const socket = connect(Number(new URL(url).port), "127.0.0.1").pause();
  socket.write("GET /flood HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  await expect.poll(() => pulled).toBeGreaterThan(0);
  await expect
    .poll(async () => {
      const before = pulled;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return pulled - before;
    })
    .toBe(0);
  expect(pulled).toBeLessThan(limits.httpResponseBytes);
  let received = 0;
  let end = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
    end = chunk.subarray(-5).toString();
  });
  await new Promise((resolve) => socket.on("close", resolve).on("error", resolve).resume());
  expect(received).toBeGreaterThan(limits.httpResponseBytes * 0.5);
  expect(end).not.toBe("0\r\n\r\n");
  expect(pulled).toBeLessThan(limits.httpResponseBytes + 2 ** 20);
  expect(String(floodEnded)).toContain("too large");
});

test("the stream of a response is canceled when its client leaves", async () => {
  const leave = new AbortController();
  const response = await fetch(`${url}/endless`, { signal: leave.signal });
  const { value } = await (response.body as ReadableStream<Uint8Array>).getReader().read();
  expect(Buffer.from(value ?? []).toString()).toContain("tick");
  leave.abort();
  expect(String(await canceled)).toContain("disconnected");
});

test("an announced body that is too large gets 413 after it was sent", async () => {
  const body = Buffer.alloc(limits.httpRequestBytes + 4 * 1024 * 1024);
  const socket = connect(Number(new URL(url).port), "127.0.0.1").pause();
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket.write(`POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${String(body.length)}\r\n\r\n`);
  // Like clients that read no answer before sending everything.
  await new Promise((resolve, reject) => socket.on("error", reject).write(body, resolve));
  socket.resume();
  await expect.poll(() => text).toContain("HTTP/1.1 413");
  socket.destroy();
});

test("the site answers only to its own host names", async () => {
  expect((await rawGet("/echo", { host: "evil.example" })).status).toBe(403);
});
