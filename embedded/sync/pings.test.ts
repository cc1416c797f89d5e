import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { createTokenVerifier } from "../auth/create-token-verifier.ts";
import { openEngine } from "../engine/engine.ts";
import { closeServer, listen } from "../http/listen.ts";
import { sourceOf } from "../http/request-source.ts";
import { bundleFunctions } from "../runtime/bundle.ts";
import { createFunctionRunner } from "../runtime/runner.ts";
import { Connections } from "./connections.ts";
import { createLog } from "../operations/log.ts";
import { LiveQueries } from "./live-queries.ts";
import { MutationLanes } from "./mutation-lanes.ts";

const PING_EVERY_MS = 30;

async function serve(): Promise<{ url: string; connections: Connections; logged: string[] }> {
  const bundled = await bundleFunctions(join(import.meta.dirname, "../../test/conformance/convex"));
  if (bundled.kind === "failed") throw new Error(bundled.message);
  const engine = openEngine({ path: ":memory:" });
  const runner = createFunctionRunner({ engine, bundle: bundled.bundle });
  const shared = { engine, runner, nextRequestId: () => "r" };
  const logged: string[] = [];
  const connections = new Connections({
    ...shared,
    live: new LiveQueries(shared),
    lanes: new MutationLanes(),
    graceMs: 0,
    isAdminKey: () => false,
    tokens: createTokenVerifier(null),
    isAllowedHost: () => true,
    sourceOf: sourceOf(false),
    now: Date.now,
    maxConnections: 2,
    pingEveryMs: PING_EVERY_MS,
    log: createLog({ format: "text", level: "debug", write: (line) => logged.push(line) }),
  });
  const server = createServer().on("upgrade", (request, socket, head) =>
    connections.upgrade(request, socket, head),
  );
  const port = await listen(server, 0, "127.0.0.1");
  onTestFinished(async () => {
    await connections.close();
    await closeServer(server, 0);
    await engine.close();
  });
  return { url: `ws://127.0.0.1:${port}/api/sync`, connections, logged };
}

function open(url: string): Promise<WebSocket> {
  const ws = new WebSocket(url);
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

test("a client that reads is kept, and hears from us", async () => {
  const { url, connections } = await serve();
  const ws = await open(url);
  const heard: string[] = [];
  ws.on("message", (data: Buffer) => heard.push(data.toString()));
  ws.send(connect);
  await sleep(PING_EVERY_MS * 10);
  expect(connections.size).toBe(1);
  expect(heard.length).toBeGreaterThanOrEqual(3);
  expect(new Set(heard)).toEqual(new Set(['{"type":"Ping"}']));
});

test("a client that does not read is dropped, and so is one that never says who it is", async () => {
  const { url, connections } = await serve();
  const deaf = await open(url);
  deaf.send(connect);
  await sleep(5);
  deaf.pause();
  await open(url);
  expect(connections.size).toBe(2);
  await sleep(PING_EVERY_MS * 10);
  expect(connections.size).toBe(0);
});

test("there is an end to how many are let in", async () => {
  const { url } = await serve();
  await open(url);
  await open(url);
  await expect(open(url)).rejects.toThrow("503");
});
