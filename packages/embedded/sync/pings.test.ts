import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { pingEveryMs, serve } from "./connections.fixture.ts";

function open(url: string): Promise<WebSocket> {
  const ws = new WebSocket(`${url.replace("http", "ws")}/api/sync`);
  onTestFinished(() => {
    ws.terminate();
  });
  return new Promise((resolve, reject) => {
    ws.on("error", reject).on("open", () => {
      resolve(ws);
    });
  });
}

const connect = JSON.stringify({ type: "Connect", sessionId: "s", connectionCount: 0, clientTs: 0 });

test("a client that reads stays connected, and receives pings", async () => {
  const { url, connections } = await serve();
  const ws = await open(url);
  const heard: string[] = [];
  ws.on("message", (data: Buffer) => heard.push(data.toString()));
  ws.send(connect);
  await sleep(pingEveryMs * 10);
  expect(connections.size).toBe(1);
  expect(heard.length).toBeGreaterThanOrEqual(3);
  expect(new Set(heard)).toEqual(new Set(['{"type":"Ping"}']));
});

test("a client that does not read is dropped, and so is one that never sends Connect", async () => {
  const { url, connections } = await serve();
  const deaf = await open(url);
  deaf.send(connect);
  await sleep(5);
  deaf.pause();
  await open(url);
  expect(connections.size).toBe(2);
  await sleep(pingEveryMs * 10);
  expect(connections.size).toBe(0);
});

test("the number of connections is limited", async () => {
  const { url } = await serve();
  await open(url);
  await open(url);
  const third = await open(url);
  const closed = await new Promise((resolve) =>
    third.on("close", (code, reason) => resolve([code, String(reason)])),
  );
  expect(closed).toEqual([
    1013,
    expect.stringMatching(/^TooManyConcurrentRequests: this deployment has too many/),
  ]);
});
