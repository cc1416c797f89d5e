import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { askApi, type Progress } from "./ask-api.ts";

const call = { path: "chat/completions", body: { model: "demo", stream: true } } as const;
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: null }] })}\n\n`;

let server: Server | null = null;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${String((started.address() as AddressInfo).port)}`;
}

async function ask(
  apiBase: string,
  signal = new AbortController().signal,
  onProgress: (progress: Progress) => void = () => undefined,
): Promise<Progress> {
  return await askApi({ apiBase, apiKey: "sk-gleaner-x", call, signal, onProgress });
}

it("streams an answer, and tells its job and the time to the first token", async () => {
  let authorization: string | undefined;
  const apiBase = await serve((request, response) => {
    authorization = request.headers.authorization;
    response.writeHead(200, { "content-type": "text/event-stream", "x-gleaner-job": "job1" });
    response.write(chunk(""));
    setTimeout(() => response.write(chunk("Ath")), 60);
    setTimeout(() => response.end(`${chunk("ens")}data: [DONE]\n\n`), 120);
  });
  const texts: string[] = [];
  const done = await ask(apiBase, undefined, ({ answer }) => texts.push(answer.text));
  expect(authorization).toBe("Bearer sk-gleaner-x");
  expect(done).toMatchObject({ answer: { text: "Athens" }, jobId: "job1", end: { kind: "done" } });
  expect(done.firstTokenMs).toBeGreaterThanOrEqual(50);
  expect(done.end?.ms).toBeGreaterThan(done.firstTokenMs ?? 0);
  expect(texts).toContain("Ath");
});

it("stops, keeps the text so far, and disconnects", async () => {
  let disconnected: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    disconnected = resolve;
  });
  const apiBase = await serve((_request, response) => {
    response.on("close", disconnected);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk("Once"));
  });
  const stop = new AbortController();
  const done = await ask(apiBase, stop.signal, ({ answer }) => {
    if (answer.text !== "") stop.abort();
  });
  expect(done).toMatchObject({ answer: { text: "Once" }, end: { kind: "stopped" } });
  await gone;
});

it("tells the API's error, before and in the middle of a stream", async () => {
  const error = { error: { code: "insufficient_quota", message: "Too few credits." } };
  const early = await serve((_request, response) => {
    response.writeHead(429, { "content-type": "application/json" }).end(JSON.stringify(error));
  });
  const failed = { kind: "failed", failure: { code: "insufficient_quota", message: "Too few credits." } };
  expect(await ask(early)).toMatchObject({ end: failed });
  server?.close();
  const late = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${chunk("Ath")}data: ${JSON.stringify(error)}\n\n`);
  });
  expect(await ask(late)).toMatchObject({ answer: { text: "Ath" }, end: failed });
});

it("has a sentence for a server that is gone, and for an answer that is no API's", async () => {
  const apiBase = await serve((_request, response) => {
    response.writeHead(502).end("<html>");
  });
  expect(await ask(apiBase)).toMatchObject({ end: { failure: { message: "The server answered 502." } } });
  expect(await ask("http://127.0.0.1:1")).toMatchObject({ end: { failure: { code: "unreachable" } } });
});
