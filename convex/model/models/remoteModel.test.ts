import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseModelLink } from "./modelLink.ts";
import { readRemoteModel } from "./remoteModel.ts";

const demo = readFileSync(new URL("../../../resources/demo-model/gleaner-demo-q8.gguf", import.meta.url));
const sha256 = "2eea97ee3179d28b333049848e2d47c83474bb3480debfb2f2c886abe14525e1";
const hosts = ["hub.example", "*.files.example"];
const link = parseModelLink("https://hub.example/demo.gguf")!;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let listener: Listener;
/** The hosts that were called, and the ranges that were asked for. */
let called: { readonly host: string; readonly range: string | undefined }[];

beforeEach(async () => {
  called = [];
  server = createServer((request, response) => {
    called.push({ host: String(request.headers["x-host"]), range: request.headers.range });
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends every call to the local server, and names the host that was meant. */
const get: typeof fetch = async (input, init) => {
  const url = new URL(input as string);
  const { port } = server.address() as AddressInfo;
  const headers = { ...(init?.headers as Record<string, string>), "x-host": url.host };
  return await fetch(`http://127.0.0.1:${String(port)}${url.pathname}`, { ...init, headers });
};

const readDemo = async (signal = AbortSignal.timeout(5_000)) =>
  await readRemoteModel(link, { hosts, signal, get });

/** Serves the demo model in ranges, as the hub's storage does. */
const ranges: Listener = (request, response) => {
  const last = Math.min(Number(/-(\d+)$/.exec(request.headers.range ?? "")?.[1]), demo.length - 1);
  response.writeHead(206, { "content-range": `bytes 0-${String(last)}/${String(demo.length)}` });
  response.end(demo.subarray(0, last + 1));
};

it("reads a file behind redirects, with the hash that the hub tells", async () => {
  listener = (request, response) => {
    if (request.headers["x-host"] !== "hub.example") {
      ranges(request, response);
      return;
    }
    response.writeHead(302, {
      location: "https://cdn.files.example/stored?signature=x",
      "x-linked-etag": `"${sha256}"`,
      "x-linked-size": String(demo.length),
    });
    response.end();
  };
  expect(await readDemo()).toMatchObject({
    kind: "read",
    model: { sha256, sizeBytes: demo.length, contextTokens: 1_024, architecture: "llama" },
  });
  expect(called).toEqual([
    { host: "hub.example", range: "bytes=0-262143" },
    { host: "cdn.files.example", range: "bytes=0-262143" },
  ]);
});

it("knows no hash where the server tells none, or another kind of hash", async () => {
  listener = (request, response) => {
    response.setHeader("x-linked-etag", '"d41d8cd98f00b204e9800998ecf8427e"');
    ranges(request, response);
  };
  expect(await readDemo()).toMatchObject({ kind: "read", model: { sha256: null, sizeBytes: demo.length } });
});

it("reads more where the metadata is longer", async () => {
  listener = (request, response) => {
    const wanted = Number(/-(\d+)$/.exec(request.headers.range ?? "")?.[1]) + 1;
    const sent = demo.subarray(0, wanted < 2 ** 20 ? 1_000 : wanted);
    response.writeHead(206, { "content-range": `bytes 0-${String(sent.length - 1)}/${String(demo.length)}` });
    response.end(sent);
  };
  expect(await readDemo()).toMatchObject({ kind: "read" });
  expect(called.map(({ range }) => range)).toEqual(["bytes=0-262143", "bytes=0-4194303"]);
});

it("reads no more than it asked for from a server that ignores ranges and never ends", async () => {
  let sent = 0;
  let closed: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    closed = resolve;
  });
  listener = (_request, response) => {
    response.writeHead(200, { "content-length": String(2 ** 40) });
    response.on("close", closed);
    response.write(demo);
    const more = Buffer.alloc(2 ** 16);
    const push = (): void => {
      while (!response.destroyed && sent < 2 ** 26 && response.write(more)) sent += more.length;
    };
    response.on("drain", push);
    push();
  };
  expect(await readDemo()).toMatchObject({ kind: "read", model: { sizeBytes: 2 ** 40 } });
  await ended;
  expect(sent).toBeLessThan(2 ** 26);
});

it.each([
  ["a host that is not allowed", "https://169.254.169.254/latest"],
  ["an address without TLS", "http://hub.example/x"],
  ["another port", "https://hub.example:8080/x"],
])("calls nobody after a redirect to %s", async (_, location) => {
  listener = (_request, response) => response.writeHead(302, { location }).end();
  const outcome = await readDemo();
  expect(outcome).toMatchObject({ kind: "failed" });
  if (outcome.kind === "failed") expect(outcome.why).toContain("MODEL_HOSTS");
  expect(called).toHaveLength(1);
});

it("calls nobody for a link to a host that is not allowed", async () => {
  const other = parseModelLink("https://10.0.0.1/x.gguf")!;
  const outcome = await readRemoteModel(other, { hosts, signal: AbortSignal.timeout(5_000), get });
  expect(outcome).toMatchObject({ kind: "failed" });
  expect(called).toEqual([]);
});

it("gives up on redirects in a circle, and on a server that says nothing", async () => {
  listener = (_request, response) => response.writeHead(302, { location: "https://hub.example/again" }).end();
  expect(await readDemo()).toEqual({ kind: "failed", why: "The server redirects too often." });
  expect(called).toHaveLength(6);
  listener = () => undefined;
  expect(await readDemo(AbortSignal.timeout(100))).toEqual({
    kind: "failed",
    why: "hub.example did not answer in time.",
  });
});

it.each([
  ["a missing file", 404, {}, "", "There is no such file."],
  ["a file behind a license", 401, {}, "", "not public"],
  ["a broken server", 500, {}, "", "error 500"],
  ["a redirect to nowhere", 302, {}, "", "error 302"],
  ["a page", 200, {}, "<!doctype html><html>".padEnd(64), "not a GGUF file"],
  ["a cut file", 206, { "content-range": "bytes 0-99/100" }, demo.subarray(0, 100), "damaged"],
  ["an unknown size", 206, { "content-range": "bytes 0-262143/*" }, demo.subarray(0, 262_144), "file's size"],
])("tells in a sentence what is wrong with %s", async (_, status, headers, body, why) => {
  listener = (_request, response) => response.writeHead(status, headers).end(body);
  const outcome = await readDemo();
  expect(outcome).toMatchObject({ kind: "failed" });
  if (outcome.kind === "failed") expect(outcome.why).toContain(why);
});
