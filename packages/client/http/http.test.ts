import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import * as z from "zod";
import { Batches } from "./batches.ts";
import { readFileFrom } from "./files.ts";
import { Http } from "./http.ts";

let server: Server;

afterEach(() => server.close());

const answer = z.object({ id: z.string() });

async function httpWith(listener: RequestListener, unreachableForMs = 0): Promise<Http> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return new Http({ url: `http://127.0.0.1:${port}/v1`, apiKey: "key", unreachableForMs });
}

const error = (code: string) => JSON.stringify({ error: { message: "No.", code } });

it("waits as long as the server asks, and tries again", async () => {
  let calls = 0;
  const http = await httpWith((request, response) => {
    calls += 1;
    expect([request.url, request.headers.authorization]).toEqual(["/v1/models", "Bearer key"]);
    if (calls < 3) response.writeHead(429, { "retry-after": "0" }).end(error("rate_limit_exceeded"));
    else response.end('{"id":"m"}');
  });
  expect(await http.get("/models", answer)).toEqual({ id: "m" });
  expect(calls).toBe(3);
});

it("does not try again where that does not help", async () => {
  let calls = 0;
  const http = await httpWith((_, response) => {
    calls += 1;
    response.writeHead(429, { "retry-after": "0" }).end(error("insufficient_quota"));
  });
  const refusal = { name: "GleanerError", status: 429, code: "insufficient_quota", message: "No." };
  await expect(http.get("/models", answer)).rejects.toMatchObject(refusal);
  expect(calls).toBe(1);
});

it.each([404, 200])("says that something else answers there, with status %d", async (status) => {
  const http = await httpWith((_, response) => response.writeHead(status).end("<html>"));
  await expect(http.get("/models", answer)).rejects.toThrow(/right address/);
});

it("says that the server cannot be reached", async () => {
  const http = await httpWith(() => undefined);
  server.close();
  const refusal = {
    code: "unreachable",
    status: null,
    message: expect.stringMatching(/cannot be reached: /),
  };
  await expect(http.get("/models", answer)).rejects.toMatchObject(refusal);
});

it("says that a server has no TLS", async () => {
  await httpWith(() => undefined);
  const { port } = server.address() as AddressInfo;
  const http = new Http({ url: `https://127.0.0.1:${String(port)}/v1`, apiKey: "k", unreachableForMs: 0 });
  await expect(http.get("/models", answer)).rejects.toThrow(
    'cannot be reached: TLS fails with "wrong version number". A server without TLS has an http:// address. Check',
  );
});

it.each([
  ["a call that reads", {}, 2],
  ["a call with an idempotency key", { method: "POST", headers: { "idempotency-key": "k" } }, 2],
  ["a call that could do something twice", { method: "POST" }, 1],
])("repeats %s as it may", async (_, options, expected) => {
  let calls = 0;
  const http = await httpWith((request, response) => {
    calls += 1;
    if (calls === 1) request.socket.destroy();
    else response.end('{"id":"m"}');
  }, 60_000);
  const ended = await http.send("/models", options).then(
    () => "answered",
    (thrown: unknown) => (thrown as { code: string }).code,
  );
  expect([ended, calls]).toEqual([expected === 2 ? "answered" : "unreachable", expected]);
});

it("ends a wait with its signal", async () => {
  const http = await httpWith((_, response) => {
    response.writeHead(429, { "retry-after": "50" }).end(error("rate_limit_exceeded"));
  });
  const stopped = http.send("/models", { signal: AbortSignal.timeout(50) });
  await expect(stopped).rejects.toMatchObject({ name: "TimeoutError" });
});

it.each([502, 503, 504])("tries again while a server starts or a proxy answers with %i", async (status) => {
  let calls = 0;
  const http = await httpWith((_, response) => {
    calls += 1;
    if (calls < 2) response.writeHead(status).end("<html>");
    else response.end('{"id":"m"}');
  }, 60_000);
  expect(await http.get("/models", answer)).toEqual({ id: "m" });
});

it("yields a batch again when its forecast has changed", async () => {
  const batch = {
    id: "batch_1",
    status: "in_progress",
    endpoint: "/v1/chat/completions",
    created_at: 1,
    expires_at: 2,
    output_file_id: null,
    error_file_id: null,
    request_counts: { total: 3, completed: 0, failed: 0 },
    errors: null,
  };
  const forecastAt = (at: number) => ({ expected_at: at, latest_at: at + 1, on_time: 1 });
  const answers = [
    { ...batch, forecast: forecastAt(1) },
    { ...batch, forecast: forecastAt(2) },
    { ...batch, status: "completed", forecast: null },
  ];
  const http = await httpWith((_, response) => response.end(JSON.stringify(answers.shift())));
  const seen: (number | null | undefined)[] = [];
  for await (const { forecast } of new Batches(http).watch("batch_1")) seen.push(forecast?.expected_at);
  expect(seen).toEqual([1, 2, undefined]);
});

it("sends what the devices of a batch must have", async () => {
  const sent: (readonly [string | undefined, unknown])[] = [];
  const http = await httpWith((request, response) => {
    sent.push([request.url, request.headers["gleaner-requires"]]);
    const batch = {
      id: "batch_1",
      status: "validating",
      endpoint: "/v1/chat/completions",
      created_at: 1,
      expires_at: 2,
      output_file_id: null,
      error_file_id: null,
      request_counts: { total: 0, completed: 0, failed: 0 },
      errors: null,
      forecast: null,
    };
    response.end(JSON.stringify(request.url === "/v1/files" ? { id: "file-1" } : batch));
  });
  const lines = [{ id: "q1", body: {} }];
  await new Batches(http).create(lines, { requires: { dataClass: "restricted" } });
  await new Batches(http).create(lines);
  expect(sent.filter(([url]) => url === "/v1/batches")).toEqual([
    ["/v1/batches", "data-class=restricted"],
    ["/v1/batches", undefined],
  ]);
});

it.each([
  ["a server that tells the file's length", "bytes 0-3/4", 1],
  ["one that does not", undefined, 2],
])("reads a file of %s in as few calls as possible", async (_name, contentRange, expected) => {
  let calls = 0;
  const http = await httpWith((_, response) => {
    calls += 1;
    const headers = contentRange === undefined ? {} : { "content-range": contentRange };
    if (calls === 1) response.writeHead(206, headers).end("1234");
    else response.writeHead(416).end();
  });
  let bytes = 0;
  for await (const piece of readFileFrom(http, "file-1", 0)) bytes += piece.length;
  expect([bytes, calls]).toEqual([4, expected]);
});
