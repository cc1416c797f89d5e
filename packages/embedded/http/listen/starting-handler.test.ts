import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { ReadinessProbe } from "../../operations/readiness.ts";
import { startingHandler, type WaitLimits } from "./starting-handler.ts";

const long = 600_000;

const echo: RequestListener = (request, response) => {
  void text(request).then((body) => response.end(`${request.method} ${request.url} ${body}`));
};

async function starting(bounds: WaitLimits) {
  const handler = startingHandler(new ReadinessProbe(), bounds);
  let listener = handler.handle;
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url,
    handler,
    /** Resolves when the next request has reached the handler. */
    arrived: async () => ((await once(server, "request")) as [unknown, ServerResponse])[1],
    serve: (next: RequestListener) => {
      listener = next;
      handler.handOver(next);
    },
  };
}

async function expectRetryLater(response: Response): Promise<void> {
  expect([response.status, response.headers.get("retry-after"), response.headers.get("connection")]).toEqual([
    ...[503, "2", "close"],
  ]);
  expect(await response.json()).toMatchObject({ code: "Starting" });
}

test("an early request is answered completely once the backend is ready", async () => {
  const { url, arrived, serve } = await starting({ count: 10, ms: long });
  const answers: Promise<Response>[] = [];
  for (const path of ["/a", "/b"]) {
    const arriving = arrived();
    answers.push(fetch(url + path, { method: "POST", body: path.repeat(200_000) }));
    await arriving;
  }
  serve(echo);
  const said = await Promise.all(answers.map(async (answer) => (await answer).text()));
  expect(said).toEqual([`POST /a ${"/a".repeat(200_000)}`, `POST /b ${"/b".repeat(200_000)}`]);
});

test("health checks are answered at once", async () => {
  const { url } = await starting({ count: 10, ms: long });
  expect((await fetch(`${url}/health`)).status).toBe(200);
  const ready = await fetch(`${url}/ready?verbose`);
  expect([ready.status, ready.headers.get("retry-after")]).toEqual([503, "1"]);
});

test("the waiting time of an early request is limited", async () => {
  const { url } = await starting({ count: 10, ms: 20 });
  await expectRetryLater(await fetch(url));
});

test("the number of waiting requests is limited, and a client that leaves makes room", async () => {
  const { url, arrived, serve } = await starting({ count: 1, ms: long });
  const leaving = new AbortController();
  const first = arrived();
  const left = fetch(url, { signal: leaving.signal }).catch((error: unknown) => error);
  const closed = once(await first, "close");
  await expectRetryLater(await fetch(url));
  leaving.abort();
  await Promise.all([left, closed]);
  const second = arrived();
  const answer = fetch(`${url}/second`);
  await second;
  serve(echo);
  expect(await (await answer).text()).toBe("GET /second ");
});

test("after giving up, waiting and later requests are told to retry", async () => {
  const { url, handler, arrived } = await starting({ count: 10, ms: long });
  const arriving = arrived();
  const waiting = fetch(url);
  await arriving;
  handler.giveUp();
  await expectRetryLater(await waiting);
  await expectRetryLater(await fetch(url));
});

test("a WebSocket is told to retry at once, since a waiting request cannot be upgraded", async () => {
  const { url } = await starting({ count: 10, ms: long });
  const socket = new WebSocket(url.replace("http", "ws"));
  const [error] = (await once(socket, "error")) as [Error];
  expect(error.message).toContain("503");
});

test("OpenAI's SDK retries an early request by itself", async () => {
  const { url, arrived, serve } = await starting({ count: 10, ms: 1 });
  const client = new OpenAI({ baseURL: url, apiKey: "k" });
  const arriving = arrived();
  const models = client.models.list();
  await once(await arriving, "close");
  serve((_, response) => {
    response.setHeader("Content-Type", "application/json").end('{"object":"list","data":[{"id":"m"}]}');
  });
  expect((await models).data).toEqual([{ id: "m" }]);
});
