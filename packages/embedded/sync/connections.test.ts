import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { Backend } from "../compose/backend-options.ts";
import { startBackend } from "../server.ts";
import { testApp } from "../test-app.fixture.ts";

let folder: string;
let backend: Backend;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "connections-"));
  const dataFile = join(folder, "data.sqlite3");
  backend = await startBackend({ convexDir: testApp, dataFile, port: 0, sitePort: 0, adminKey: "k" });
});

afterAll(async () => {
  await backend.close();
  await rm(folder, { recursive: true });
});

type Message = { readonly type: string; readonly [field: string]: unknown };

/** Speaks the protocol by hand, to send messages that the real client never sends. */
function speak(path = "/api/1.48.0/sync", headers: Record<string, string> = {}) {
  const ws = new WebSocket(backend.url.replace("http", "ws") + path, { headers });
  onTestFinished(() => {
    ws.terminate();
  });
  const heard: Message[] = [];
  const looks = new Set<() => void>();
  ws.on("message", (data: Buffer) => {
    heard.push(JSON.parse(data.toString("utf8")) as Message);
    for (const look of [...looks]) look();
  });
  const closed = new Promise<number>((resolve) => {
    ws.on("close", (code: number) => {
      resolve(code);
    });
  });
  return {
    heard,
    closed,
    open: new Promise<void>((resolve, reject) => ws.on("open", resolve).on("error", reject)),
    send: (message: unknown) => {
      ws.send(typeof message === "string" ? message : JSON.stringify(message));
    },
    hear: (type: string) =>
      new Promise<Message>((resolve) => {
        const look = (): void => {
          const found = heard.find((message) => message.type === type);
          if (found === undefined) return;
          looks.delete(look);
          resolve(found);
        };
        looks.add(look);
        look();
      }),
  };
}

const connect = { type: "Connect", sessionId: "s", connectionCount: 0, lastCloseReason: null, clientTs: 1 };
const modify = (baseVersion: number, newVersion: number, modifications: unknown[] = []) => ({
  type: "ModifyQuerySet",
  baseVersion,
  newVersion,
  modifications,
});
const add = (queryId: number) => ({
  type: "Add",
  queryId,
  udfPath: "messages:list",
  args: [{ channel: "c" }],
});

test("a query set is answered with a transition from zero", async () => {
  const client = speak();
  await client.open;
  client.send(connect);
  client.send(modify(0, 1, [add(7)]));
  expect(await client.hear("Transition")).toMatchObject({
    startVersion: { querySet: 0, identity: 0, ts: "AAAAAAAAAAA=" },
    endVersion: { querySet: 1, identity: 0 },
    modifications: [{ type: "QueryUpdated", queryId: 7, value: [], journal: null }],
  });
});

test.each(["User", "Admin"])(
  "a refused token of type %s ends the connection, and later messages do not run",
  async (tokenType) => {
    const client = speak();
    await client.open;
    const send = { requestId: 0, udfPath: "messages:send", args: [{ channel: tokenType, body: "x" }] };
    client.send(connect);
    client.send({ type: "Authenticate", tokenType, value: "x.y.z", baseVersion: 0 });
    client.send({ type: "Mutation", ...send });
    expect(await client.closed).toBe(1008);
    expect(client.heard).toMatchObject([{ type: "AuthError", baseVersion: 0, authUpdateAttempted: true }]);
    const again = speak();
    await again.open;
    again.send(connect);
    again.send(modify(0, 1, [{ ...add(1), args: [{ channel: tokenType }] }]));
    expect(await again.hear("Transition")).toMatchObject({ modifications: [{ value: [] }] });
  },
);

test.each([
  ["text that is not JSON", [connect, "{"]],
  ["an unknown message", [connect, { type: "Shutdown" }]],
  ["a message before Connect", [modify(0, 1)]],
  ["a second Connect", [connect, connect]],
  ["a query set on an unknown version", [connect, modify(1, 2)]],
  ["a query set without a new version", [connect, modify(0, 0)]],
  [
    "an identity on an unknown version",
    [connect, { type: "Authenticate", tokenType: "None", baseVersion: 1 }],
  ],
  ["a query that is already in the set", [connect, modify(0, 1, [add(1), add(1)])]],
  [
    "the removal of a query that is not in the set",
    [connect, modify(0, 1, [{ type: "Remove", queryId: 1 }])],
  ],
])("a client that sends %s is stopped for good", async (_, messages) => {
  const client = speak();
  await client.open;
  for (const message of messages) client.send(message);
  expect((await client.hear("FatalError"))["error"]).toEqual(expect.any(String));
  expect(await client.closed).toBe(1002);
});

test.each(["/api/sync", "/api/1.48.0/sync"])("WebSockets are accepted at %s", async (path) => {
  await expect(speak(path).open).resolves.toBeUndefined();
});

test.each(["/", "/api/a/b/sync", "/api/sync/x"])("WebSockets are refused at %s", async (path) => {
  await expect(speak(path).open).rejects.toThrow("404");
});

test("a WebSocket is refused if its host name is not the backend's", async () => {
  await expect(speak("/api/sync", { Host: "evil.example" }).open).rejects.toThrow("403");
});
