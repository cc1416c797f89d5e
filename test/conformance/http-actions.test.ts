import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFunctionReference } from "convex/server";
import { expect, onTestFinished, test } from "vitest";
import { api } from "../../packages/embedded/test-app.fixture.ts";
import { asAdmin, deployment, httpClient, isEmbedded, liveClient, uniqueName } from "./deployment.ts";
import { startEmbedded } from "./embedded-backend.ts";
import { saying } from "./expectations.ts";
import { watch } from "./watch.ts";

const site = deployment.siteUrl;

test("a route answers with its status, headers and body", async () => {
  const response = await fetch(`${site}/hello?name=${encodeURIComponent("Ünal")}`);
  expect([response.status, response.headers.get("x-fixture"), await response.text()]).toEqual([
    200,
    "yes",
    "hello Ünal",
  ]);
});

test("a route by prefix reads the body and writes to the database", async () => {
  const channel = uniqueName();
  const response = await fetch(`${site}/messages/${channel}`, { method: "POST", body: "from outside" });
  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({ id: expect.any(String) });
  expect(await httpClient().query(api.messages.list, { channel })).toEqual(["from outside"]);
});

test.each([204, 205, 304])("a response with status %i may be made with a text", async (status) => {
  const response = await fetch(`${site}/status/${status}`);
  expect([response.status, await response.text()]).toEqual([status, ""]);
});

test("a response streams while it is being written", async () => {
  const started = Date.now();
  const response = await fetch(`${site}/ticks?count=5`);
  const arrivals: number[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of response.body as ReadableStream<Uint8Array>) {
    arrivals.push(Date.now() - started);
    text += decoder.decode(part, { stream: true });
  }
  expect(text).toBe("tick 0\ntick 1\ntick 2\ntick 3\ntick 4\n");
  expect(arrivals.length).toBeGreaterThanOrEqual(4);
  expect(arrivals.at(-1)! - arrivals[0]!).toBeGreaterThan(250);
});

test("an unknown route is 404, and so is a known path with another method", async () => {
  expect((await fetch(`${site}/nothing`)).status).toBe(404);
  expect((await fetch(`${site}/hello`, { method: "DELETE" })).status).toBe(404);
});

test("a request has an id in a header, unless its client gives one", async () => {
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${site}/request-id`, { headers })).text();
  expect(await ask({})).toMatch(/^[0-9a-f]{16}$/);
  expect(await ask({ "Convex-Request-Id": "mine" })).toBe("mine");
});

test("below /http/ the API's address has the same actions, without headers for other origins", async () => {
  const headers = { Origin: "https://app.example" };
  const response = await fetch(`${deployment.url}/http/hello?name=x`, { headers });
  expect([response.status, await response.text()]).toEqual([200, "hello x"]);
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
  const sent = await fetch(`${deployment.url}/http/echo`, { method: "POST", body: "sent" });
  expect(await sent.text()).toBe("sent");
  const unknown = await fetch(`${deployment.url}/http/nothing`);
  expect([unknown.status, await unknown.text()]).toEqual([404, "No matching routes found"]);
});

test.skipIf(!isEmbedded)("without http.ts, a request learns that there are no HTTP actions", async () => {
  const convexDir = await mkdtemp(join(tmpdir(), "http-actions-"));
  onTestFinished(() => rm(convexDir, { recursive: true, force: true }));
  const backend = await startEmbedded({ convexDir });
  onTestFinished(backend.stop);
  const response = await fetch(`${backend.siteUrl}/hello`);
  expect([response.status, await response.text()]).toEqual([
    404,
    "This Convex deployment does not have HTTP actions enabled.",
  ]);
});

test("an action that throws answers 500 with the error's message and frames", async () => {
  const response = await fetch(`${site}/fails`);
  expect([response.status, response.headers.get("content-type")]).toEqual([500, "application/json"]);
  const { code, trace, ...rest } = (await response.json()) as { code: string; trace?: string };
  expect(rest).toEqual({});
  // A production deployment hides the message and the frames.
  expect(code).toMatch(/^\[Request ID: [0-9a-f]{16}\] Server Error(?:: Uncaught Error: no luck\nat all)?$/);
  if (trace === undefined) return;
  expect(trace).toMatch(/^Uncaught Error: no luck\nat all\n {4}at .*\(\.\.\/[\w-]+\/http\.ts:\d+:\d+\)/);
});

test("a binary body round-trips unchanged", async () => {
  const sent = Uint8Array.from({ length: 300_000 }, (_, n) => (n * 31) % 256);
  const headers = { "Content-Type": "application/x-fixture" };
  const response = await fetch(`${site}/echo`, { method: "POST", headers, body: sent });
  expect(response.headers.get("content-type")).toBe("application/x-fixture");
  expect(Buffer.compare(await response.bytes(), sent)).toBe(0);
});

test("a chunked body of unknown length arrives whole", async () => {
  const pieces = ["one ", "two ", "three"];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) {
        controller.close();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      controller.enqueue(new TextEncoder().encode(piece));
    },
  });
  const response = await fetch(`${site}/echo`, { method: "POST", body, duplex: "half" } as RequestInit);
  expect(await response.text()).toBe("one two three");
});

test("an OPTIONS route answers a CORS preflight", async () => {
  const headers = { Origin: "https://app.example", "Access-Control-Request-Method": "PUT" };
  const preflight = await fetch(`${site}/shared`, { method: "OPTIONS", headers });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(preflight.headers.get("access-control-allow-methods")).toBe("PUT");
  const answer = await fetch(`${site}/shared`, { method: "PUT", headers, body: '{"a":1}' });
  expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(await answer.json()).toEqual({ got: { a: 1 } });
});

test("the body of an OPTIONS request does not reach its action", async () => {
  const response = await fetch(`${site}/shared`, { method: "OPTIONS", body: "unseen" });
  expect([response.status, response.headers.get("x-body-length")]).toEqual([204, "0"]);
});

test("the longest prefix wins, and GET's route answers HEAD", async () => {
  const special = await fetch(`${site}/messages/special/x`, { method: "POST", body: "" });
  expect(await special.text()).toBe("the longer prefix");
  const head = await fetch(`${site}/hello?name=x`, { method: "HEAD" });
  expect([head.status, head.headers.get("x-fixture"), await head.text()]).toEqual([200, "yes", ""]);
});

test("an action that throws a ConvexError answers 500 with its data and message", async () => {
  const response = await fetch(`${site}/refuses`);
  expect(response.status).toBe(500);
  const { code, data } = (await response.json()) as { code: string; data: unknown };
  expect(data).toEqual({ code: "no", n: { $integer: "BwAAAAAAAAA=" } });
  expect(code).toMatch(/Server Error(?:: Uncaught ConvexError: \{"code":"no","n":"7n"\})?$/);
});

test("an action that does not return a response answers 500", async () => {
  const response = await fetch(`${site}/answers-nothing`);
  expect(response.status).toBe(500);
  const { code } = (await response.json()) as { code: string };
  expect(code).toMatch(saying("HTTP actions must return a Response"));
});

test.each([
  ["promise", "not awaited"],
  ["timer", "thrown by a timer"],
])("an action that does not await its work fails by a %s", async (by, message) => {
  const response = await fetch(`${site}/fails-by/${by}`);
  expect(response.status).toBe(500);
  expect(((await response.json()) as { readonly code: string }).code).toMatch(saying(message));
});

test("a listener of a client that leaves may still call a mutation, and its error harms nobody", async () => {
  const channel = uniqueName();
  const messages = watch(liveClient(), api.messages.list, { channel });
  const client = new AbortController();
  const answer = fetch(`${site}/waits/${channel}`, { signal: client.signal });
  await messages.until((list) => list.includes("waits"));
  client.abort();
  await expect(answer).rejects.toThrow("aborted");
  await messages.until((list) => list.includes("left"));
  if (!isEmbedded) return;
  const latest = makeFunctionReference<"query", Record<string, never>, { logLines: string[] }[]>(
    "_system/embedded/logs",
  );
  const printed = (await asAdmin(httpClient()).query(latest, {})).flatMap(({ logLines }) => logLines);
  expect(printed).toContain("[LOG] 'the client has left'");
});
