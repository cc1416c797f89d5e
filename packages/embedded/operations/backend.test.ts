import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { expect, onTestFinished, test } from "vitest";
import type { Backend, BackendOptions } from "../compose/backend-options.ts";
import { startBackend } from "../server.ts";
import { api, testApp } from "../test-app.fixture.ts";
import { createLog } from "./log.ts";

const adminKey = "test|0123456789";
const asAdmin = { headers: { Authorization: `Convex ${adminKey}` } };

type Started = { readonly backend: Backend; readonly lines: readonly string[]; readonly dataFile: string };

async function start(options: Partial<BackendOptions> = {}): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), "operations-"));
  const lines: string[] = [];
  const dataFile = options.dataFile ?? join(folder, "data.sqlite");
  const log = createLog({ format: "json", level: "debug", write: (line) => lines.push(line) });
  const backend = await startBackend({
    convexDir: testApp,
    dataFile,
    port: 0,
    sitePort: 0,
    adminKey,
    log,
    ...options,
  });
  onTestFinished(async () => {
    await backend.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { backend, lines, dataFile };
}

const samples = (text: string, name: string): readonly string[] =>
  text.split("\n").filter((line) => line.startsWith(name));

test("metrics count runs by function, commits, connections and sizes", async () => {
  const { backend } = await start();
  const http = new ConvexHttpClient(backend.url, { logger: false });
  await http.mutation(api.messages.send, { channel: "a", body: "b" });
  await expect(http.mutation("nothing:here" as never)).rejects.toThrow("Could not find");
  const client = new ConvexClient(backend.url, { unsavedChangesWarning: false, logger: false });
  onTestFinished(() => client.close());
  await new Promise((resolve) => client.onUpdate(api.counters.get, { name: "a" }, resolve));
  const text = await (await fetch(`${backend.url}/metrics`)).text();
  expect(samples(text, "convex_embedded_function_runs_total")).toEqual(
    expect.arrayContaining([
      'convex_embedded_function_runs_total{function="messages.js:send",kind="Mutation",outcome="success"} 1',
      'convex_embedded_function_runs_total{function="(not found)",kind="Mutation",outcome="failure"} 1',
    ]),
  );
  expect(text).toContain(
    'convex_embedded_function_duration_seconds_count{function="messages.js:send",kind="Mutation"} 1',
  );
  for (const [name, least] of [
    ["convex_embedded_commits_total", 1],
    ["convex_embedded_flushes_total", 1],
    ["convex_embedded_websocket_connections", 1],
    ["convex_embedded_live_queries", 1],
    ["convex_embedded_live_query_runs_total", 1],
    ["convex_embedded_subscriptions", 1],
    ["convex_embedded_data_file_bytes", 1],
    ["process_resident_memory_bytes", 1e6],
    ["convex_embedded_scheduled_pending", 0],
    ["convex_embedded_storage_bytes", 0],
    ["convex_embedded_dropped_clients_total", 0],
  ] as const) {
    expect(Number(samples(text, `${name} `)[0]?.split(" ")[1]), name).toBeGreaterThanOrEqual(least);
  }
});

test("metrics need the admin key from other machines and from browsers", async () => {
  const { backend } = await start();
  const metrics = async (headers: Record<string, string>) =>
    (await fetch(`${backend.url}/metrics`, { headers })).status;
  const forwarded = { "X-Forwarded-For": "203.0.113.7" };
  expect(await metrics({})).toBe(200);
  expect(await metrics(forwarded)).toBe(401);
  // A web page in a browser on this machine.
  expect(await metrics({ Origin: "https://elsewhere.example" })).toBe(401);
  expect(await metrics({ ...forwarded, Authorization: "Bearer wrong" })).toBe(403);
  expect(await metrics({ ...forwarded, Authorization: `Bearer ${adminKey}` })).toBe(200);
  expect(await metrics({ ...forwarded, ...asAdmin.headers })).toBe(200);
});

test("health and readiness are answered without a key", async () => {
  const { backend } = await start();
  const health = await fetch(`${backend.url}/health`);
  expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
  const ready = await fetch(`${backend.url}/ready`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }]);
});

test("an error, its answer and its log entry have the same request id", async () => {
  const { backend, lines } = await start();
  const response = await fetch(`${backend.url}/api/mutation`, {
    method: "POST",
    body: JSON.stringify({ path: "counters:increment", args: [{ name: 5 }], format: "json" }),
  });
  const id = response.headers.get("X-Convex-Request-Id") ?? "";
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(await response.json()).toMatchObject({
    errorMessage: expect.stringContaining(`[Request ID: ${id}]`),
  });
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries.filter(({ requestId }) => requestId === id)).toMatchObject([
    { event: "function.failed", function: "counters.js:increment", kind: "Mutation" },
  ]);
});

test("only the admin sees conflicts by range, and may reset their counts", async () => {
  // So long that the mutations overlap, however long a busy machine takes to start them.
  const { backend } = await start({ latency: { readMs: 100, commitMs: 2 } });
  const clients = Array.from({ length: 3 }, () => new ConvexHttpClient(backend.url, { logger: false }));
  await Promise.all(clients.map((each) => each.mutation(api.counters.increment, { name: "hot" })));
  const url = `${backend.url}/api/embedded/conflicts`;
  expect((await fetch(url)).status).toBe(401);
  const conflicts = async () =>
    (await (await fetch(url, asAdmin)).json()) as { functions: Record<string, { conflicts: number }> };
  const { functions } = await conflicts();
  expect(functions["counters.js:increment"]).toMatchObject({
    ranges: expect.arrayContaining([
      { table: "counters", range: 'by_name["hot"]', conflicts: expect.any(Number) },
    ]),
  });
  expect(functions["counters.js:increment"]?.conflicts).toBeGreaterThanOrEqual(2);
  const query = await fetch(`${backend.url}/api/query`, {
    ...asAdmin,
    method: "POST",
    body: JSON.stringify({ path: "_system/embedded/conflicts", args: [{}], format: "json" }),
  });
  expect(await query.json()).toMatchObject({ status: "success", value: { functions } });
  expect((await fetch(url, { ...asAdmin, method: "DELETE" })).status).toBe(200);
  expect(await conflicts()).toEqual({ functions: {} });
});

test("only the admin sees usage: runs by caller, and writes by table", async () => {
  const { backend } = await start();
  const http = new ConvexHttpClient(backend.url, { logger: false });
  await http.mutation(api.messages.send, { channel: "a", body: "b" });
  const client = new ConvexClient(backend.url, { unsavedChangesWarning: false, logger: false });
  onTestFinished(() => client.close());
  const seen: unknown[] = [];
  client.onUpdate(api.counters.get, { name: "a" }, (value) => seen.push(value));
  await expect.poll(() => seen).toHaveLength(1);
  await http.mutation(api.counters.increment, { name: "a" });
  await expect.poll(() => seen).toHaveLength(2);
  const ask = async (headers: Record<string, string>): Promise<unknown> => {
    const body = JSON.stringify({ path: "_system/embedded/usage", args: [{}], format: "json" });
    return (await fetch(`${backend.url}/api/query`, { method: "POST", headers, body })).json();
  };
  expect(await ask({})).toMatchObject({ status: "error" });
  const once = { component: "", caller: "Client", runs: 1, failures: 0, retries: 0, documentsReadMax: 0 };
  expect(await ask(asAdmin.headers)).toMatchObject({
    value: {
      functions: expect.arrayContaining([
        { ...once, function: "messages.js:send", kind: "Mutation" },
        { ...once, function: "counters.js:increment", kind: "Mutation" },
        { ...once, function: "counters.js:get", kind: "Query", runs: 2, documentsReadMax: 1 },
      ]),
      tables: {
        messages: { inserted: 1, replaced: 0, deleted: 0, bytes: expect.any(Number) },
      },
    },
  });
});

test("the function log can be followed as by npx convex logs", async () => {
  const { backend } = await start();
  type Page = { entries: { udfType: string; identifier: string; error: string | null }[]; newCursor: number };
  const poll = async (cursor: number): Promise<Page> => {
    const url = `${backend.url}/api/stream_function_logs?cursor=${String(cursor)}`;
    return (await (await fetch(url, asAdmin)).json()) as Page;
  };
  expect((await fetch(`${backend.url}/api/stream_function_logs?cursor=0`)).status).toBe(401);
  const { newCursor } = await poll(0);
  const news = poll(newCursor);
  await new ConvexHttpClient(backend.url).mutation(api.counters.increment, { name: "a" });
  expect((await news).entries).toMatchObject([
    { kind: "Completion", udfType: "Mutation", identifier: "counters:increment", error: null },
  ]);
});

test("environment variables outlive the process, and queries that read them run again", async () => {
  const first = await start({ env: { COLOR: "red" } });
  const set = (backend: Backend, name: string, value: string | null) =>
    fetch(`${backend.url}/api/update_environment_variables`, {
      ...asAdmin,
      method: "POST",
      body: JSON.stringify({ changes: [{ name, value }] }),
    });
  const client = new ConvexClient(first.backend.url, { unsavedChangesWarning: false, logger: false });
  const seen: unknown[] = [];
  client.onUpdate(api.values.environment, { name: "COLOR" }, (value) => seen.push(value));
  await expect.poll(() => seen.at(-1)).toBe("red");
  expect((await set(first.backend, "COLOR", "blue")).status).toBe(200);
  await expect.poll(() => seen.at(-1)).toBe("blue");
  await client.close();
  await first.backend.close();
  expect(first.lines.join("\n")).not.toContain("blue");

  const { backend } = await start({ env: { COLOR: "red" }, dataFile: first.dataFile });
  const http = new ConvexHttpClient(backend.url);
  expect(await http.query(api.values.environment, { name: "COLOR" })).toBe("blue");
  await set(backend, "COLOR", null);
  expect(await http.query(api.values.environment, { name: "COLOR" })).toBe("red");
});

/** Sends a body in chunks, without its length. Reads the answer only after all of it was sent. */
function sendChunked(url: string, path: string, bytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString();
      if (answer.includes("\r\n\r\n")) socket.end();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
    socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const chunk = Buffer.alloc(64 * 1024, "x");
    const head = `${chunk.length.toString(16)}\r\n`;
    for (let sent = 0; sent < bytes; sent += chunk.length)
      socket.write(Buffer.concat([Buffer.from(head), chunk, Buffer.from("\r\n")]));
    socket.write("0\r\n\r\n");
  });
}

test.each([
  ["the API", (backend: Backend) => backend.url, "/api/mutation"],
  ["an HTTP action", (backend: Backend) => backend.siteUrl, "/messages/a"],
])(
  "%s answers 413 to a body in chunks that is too large",
  async (_, urlOf, path) => {
    const { backend } = await start();
    const answer = await sendChunked(urlOf(backend), path, 24 * 1024 * 1024);
    expect(answer.split("\r\n", 1)).toEqual(["HTTP/1.1 413 Payload Too Large"]);
  },
  30_000,
);

test("headers and URLs are bounded", async () => {
  const { backend } = await start();
  const long = await fetch(`${backend.url}/api/query?${"x".repeat(20_000)}`);
  expect(long.status).toBe(431);
  expect((await fetch(`${backend.url}/health`)).status).toBe(200);
});
