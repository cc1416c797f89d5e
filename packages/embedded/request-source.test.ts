import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { Backend } from "./compose/backend-options.ts";
import { startBackend } from "./server.ts";

const convexDir = join(import.meta.dirname, "fixtures/request-source/convex");
const forwarded = { "User-Agent": "probe/1", "X-Forwarded-For": "6.6.6.6, 203.0.113.7" };

type Headers = Readonly<Record<string, string>>;
type Answer = { readonly status: string; readonly value?: unknown; readonly errorMessage?: string };

async function call(backend: Backend, kind: string, name: string, headers: Headers = {}): Promise<Answer> {
  const response = await fetch(`${backend.url}/api/${kind}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ path: `source:${name}`, args: {}, format: "json" }),
  });
  return (await response.json()) as Answer;
}

/** Calls a function over a WebSocket and returns its result. */
async function callBySocket(
  backend: Backend,
  type: "Mutation" | "Action",
  headers: Headers,
): Promise<unknown> {
  const ws = new WebSocket(`${backend.url.replace("http", "ws")}/api/sync`, { headers });
  onTestFinished(() => ws.terminate());
  const answered = new Promise((resolve, reject) => {
    ws.on("error", reject);
    ws.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString("utf8")) as {
        readonly type: string;
        readonly result?: unknown;
      };
      if (message.type === `${type}Response`) resolve(message.result);
      else if (message.type === "FatalError") reject(new Error(data.toString("utf8")));
    });
  });
  await new Promise((resolve) => ws.on("open", resolve));
  const session = { sessionId: `of-${type}`, connectionCount: 0, lastCloseReason: null, clientTs: 1 };
  ws.send(JSON.stringify({ type: "Connect", ...session }));
  ws.send(JSON.stringify({ type, requestId: 0, udfPath: `source:${type.toLowerCase()}`, args: [{}] }));
  return await answered;
}

async function start(behindProxy: boolean): Promise<{ backend: Backend; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "request-source-"));
  const backend = await startBackend({
    convexDir,
    dataFile: join(folder, "data.sqlite"),
    port: 0,
    sitePort: 0,
    adminKey: "k",
    ...(behindProxy ? { publicUrl: "https://api.example.org", publicSiteUrl: "https://example.org" } : {}),
  });
  const stop = async (): Promise<void> => {
    await backend.close();
    await rm(folder, { recursive: true });
  };
  return { backend, stop };
}

describe.each([
  { name: "without a proxy", behindProxy: false, ip: "127.0.0.1" },
  { name: "behind a proxy", behindProxy: true, ip: "203.0.113.7" },
])("$name", ({ behindProxy, ip }) => {
  let backend: Backend;
  let stop: () => Promise<void>;
  const asker = { ip, userAgent: "probe/1" };

  beforeAll(async () => {
    ({ backend, stop } = await start(behindProxy));
  });

  afterAll(() => stop());

  test("a function called over HTTP sees the request's source, also within an action", async () => {
    for (const kind of ["mutation", "action"]) {
      expect(await call(backend, kind, kind, forwarded)).toMatchObject({ status: "success", value: asker });
      expect(await call(backend, "function", kind, forwarded)).toMatchObject({ value: asker });
    }
  });

  test.each(["Mutation", "Action"] as const)(
    "a %s over a WebSocket sees the request's source",
    async (type) => {
      expect(await callBySocket(backend, type, forwarded)).toEqual(asker);
    },
  );

  test("an HTTP action sees the request's source", async () => {
    const response = await fetch(`${backend.siteUrl}/source`, { headers: forwarded });
    expect(await response.json()).toEqual(asker);
  });

  test("scheduled functions have no source, and queries cannot see it", async () => {
    expect(await call(backend, "mutation", "later", forwarded)).toMatchObject({ status: "success" });
    const kept = async () => (await call(backend, "query", "kept")).value;
    await expect.poll(kept).toEqual({ ip: null, userAgent: null });
    const refused = await call(backend, "query", "query", forwarded);
    expect(refused.errorMessage).toContain("1.0/getRequestMetadata");
  });
});
