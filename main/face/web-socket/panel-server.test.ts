import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { panelProtocol, wrongTokenCode } from "../../../app/contract/donor-calls.ts";
import { effectiveRules, noOrganizationRules } from "../../../app/policy/rule-layers.ts";
import { defaultRules } from "../../../app/policy/rules.ts";
import { initialSnapshot } from "../../donor/reports/views.ts";
import { silentLog } from "../../log.ts";
import { type AnswerCall, answerCalls } from "../answer-call.ts";
import { fakeHandlers } from "../handlers.fixture.ts";
import { sentPanelPolicy } from "../panel-policy.ts";
import { createSnapshotStore, type SnapshotStore } from "../snapshot-store.ts";
import { type PanelServer, servePanel } from "./panel-server.ts";
import { maxFrameBytes } from "./panel-socket.ts";

let folder: string;
let server: PanelServer;
let snapshot: SnapshotStore;
let answer: AnswerCall;
let origin: string;
const paused: unknown[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-panel-"));
  await mkdir(join(folder, "out", "panel"), { recursive: true });
  await writeFile(join(folder, "out", "panel", "index.html"), "<p>panel</p>");
  await writeFile(join(folder, "out", "app.js"), "1");
  await writeFile(join(folder, "out", ".env"), "secret");
  await writeFile(join(folder, "secret.html"), "secret");
  await symlink(join(folder, "secret.html"), join(folder, "out", "link.html"));
  const settings = { pause: null, donateNowUntil: null, finishThenPause: false, rules: {} };
  const policy = effectiveRules({ base: defaultRules, donor: {}, organization: noOrganizationRules });
  snapshot = createSnapshotStore(
    initialSnapshot({ name: "n", version: "1", shell: "headless" }, settings, policy, null),
  );
  const ok = { kind: "ok", value: null } as const;
  const handlers = fakeHandlers({
    getSnapshot: () => ({ kind: "ok", value: snapshot.get() }),
    pause: (argument) => (paused.push(argument), ok),
  });
  answer = answerCalls("panel", handlers, silentLog);
  server = await servePanel({ ports: [0], folder: join(folder, "out"), answer, snapshot });
  origin = new URL(server.url).origin;
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
  paused.length = 0;
});

/** Like fetch, but with any Host and any path. */
function raw(path: string, headers: Record<string, string>): Promise<number> {
  const { port } = new URL(origin);
  return new Promise((resolve, reject) => {
    httpRequest({ host: "127.0.0.1", port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

describe("the panel on loopback", () => {
  it("sets no cookie, since a browser would send it to the servers at other ports", async () => {
    const response = await fetch(`${origin}/panel/index.html`);
    expect(await response.text()).toBe("<p>panel</p>");
    expect(response.headers.get("set-cookie")).toBeNull();
    const { host } = new URL(origin);
    const connectTo = ["'self'", `ws://${host}`, `ws://${host.replace("127.0.0.1", "localhost")}`];
    expect(response.headers.get("content-security-policy")).toBe(sentPanelPolicy(connectTo));
    const root = await fetch(`${origin}/`, { redirect: "manual" });
    expect(root.headers.get("location")).toBe("/panel/index.html");
    expect(root.headers.get("set-cookie")).toBeNull();
  });

  it("prints its token in the address's fragment, which is not sent to any server", () => {
    const { search, hash } = new URL(server.url);
    expect(search).toBe("");
    expect(hash).toMatch(/^#token=[\w-]{43}$/);
  });

  it("answers only at its own address, and no other site", async () => {
    const { host } = new URL(origin);
    expect(await raw("/app.js", { host })).toBe(200);
    expect(await raw("/app.js", { host: "evil.example" })).toBe(403);
    expect(await raw("/app.js", { host, origin: "https://evil.example" })).toBe(403);
    expect((await fetch(`${origin}/app.js`, { method: "POST" })).status).toBe(405);
  });

  it.each([
    "/../secret.html",
    "/%2e%2e/secret.html",
    "/link.html",
    "/.env",
    "/panel",
    "/%zz.html",
    "/a%00.html",
  ])("serves no file at %s", async (path) => {
    expect(await raw(path, { host: new URL(origin).host })).toBe(404);
  });

  it("says what to do if the panel is not built", async () => {
    await rm(join(folder, "out", "panel", "index.html"));
    const response = await fetch(server.url);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("npm run build");
  });

  it("does not start when its port is taken", async () => {
    const port = Number(new URL(origin).port);
    const again = servePanel({ ports: [port], folder, answer, snapshot });
    await expect(again).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it("takes the next port if the first one is taken", async () => {
    const port = Number(new URL(origin).port);
    const other = await servePanel({ ports: [port, 0], folder, answer, snapshot });
    expect(Number(new URL(other.url).port)).not.toBe(port);
    await other.close();
  });
});

describe("the panel's socket", () => {
  const token = (): string => new URL(server.url).hash.replace("#token=", "");

  async function open(
    headers: Record<string, string>,
    protocols: readonly string[] = [panelProtocol, token()],
  ): Promise<WebSocket> {
    const socket = new WebSocket(`${origin.replace("http", "ws")}/bridge`, [...protocols], { headers });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return socket;
  }

  function next(socket: WebSocket): Promise<unknown> {
    return new Promise((resolve) => {
      socket.once("message", (data) => resolve(JSON.parse((data as Buffer).toString())));
    });
  }

  it("carries calls, replies and deltas over the socket", async () => {
    const socket = await open({ origin });
    expect(socket.protocol).toBe(panelProtocol);
    socket.send(JSON.stringify({ id: 1, call: "getSnapshot", argument: null }));
    expect(await next(socket)).toMatchObject({
      id: 1,
      reply: { kind: "ok", value: { version: "1" } },
    });
    socket.send(JSON.stringify({ id: 2, call: "pause", argument: { minutes: 5 } }));
    expect(await next(socket)).toEqual({ id: 2, reply: { kind: "ok", value: null } });
    expect(paused).toEqual([{ minutes: 5 }]);
    socket.send(JSON.stringify({ id: 3, call: "pause", argument: { minutes: -5 } }));
    expect(await next(socket)).toMatchObject({ id: 3, reply: { kind: "refused" } });
    const delta = next(socket);
    snapshot.update({ version: "2" });
    expect(await delta).toEqual({ delta: { version: "2" } });
    socket.close();
  });

  it("refuses a socket from another site or without an origin", async () => {
    await expect(open({ origin: "https://evil.example" })).rejects.toThrow("403");
    await expect(open({})).rejects.toThrow("403");
  });

  it.each([
    ["no token", [panelProtocol]],
    ["a wrong token", [panelProtocol, "A".repeat(43)]],
    ["the token as another protocol", ["A".repeat(43)]],
  ])("closes a socket with %s, and tells it nothing", async (_name, protocols) => {
    const socket = new WebSocket(`${origin.replace("http", "ws")}/bridge`, protocols, {
      headers: { origin },
    });
    const received: unknown[] = [];
    socket.on("message", (data) => received.push(data));
    socket.on("open", () => socket.send(JSON.stringify({ id: 1, call: "getSnapshot", argument: null })));
    const code = await new Promise((resolve) => {
      socket.once("close", resolve).on("error", () => undefined);
    });
    snapshot.update({ version: "2" });
    expect([wrongTokenCode, 1006]).toContain(code);
    expect(received).toEqual([]);
  });

  it("does not send a panel that was opened before a restart to the new donor's data", async () => {
    const stale = token();
    await server.close();
    server = await servePanel({ ports: [0], folder: join(folder, "out"), answer, snapshot });
    origin = new URL(server.url).origin;
    const socket = await open({ origin }, [panelProtocol, stale]);
    expect(await new Promise((resolve) => socket.once("close", resolve))).toBe(wrongTokenCode);
  });

  it.each(["no json", "{}", JSON.stringify({ id: -1, call: "quit" }), "x".repeat(maxFrameBytes + 1)])(
    "closes the socket at a frame that is no call",
    async (frame) => {
      const socket = await open({ origin });
      const closed = new Promise<number>((resolve) => socket.once("close", resolve));
      socket.send(frame);
      expect([1008, 1009]).toContain(await closed);
    },
  );
});

describe("an attacker without the token", () => {
  /** Requests a raw upgrade of `path`. Resolves once the connection has ended, for any reason. */
  async function upgrade(path: string, host: string, leave: "wait" | "reset"): Promise<void> {
    const socket = connect(Number(new URL(origin).port), "127.0.0.1");
    const over = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: https://evil.example\r\nConnection: Upgrade\r\n` +
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    if (leave === "reset") setTimeout(() => socket.resetAndDestroy(), 1);
    else socket.on("data", () => socket.end());
    await over;
  }

  it("cannot crash the donor with a path that is no URL", async () => {
    for (const host of ["x", new URL(origin).host]) await upgrade("//", host, "wait");
    expect(await raw("//", { host: new URL(origin).host })).toBe(400);
    expect((await fetch(`${origin}/app.js`)).status).toBe(200);
  });

  it("cannot crash the donor by leaving before the refusal arrives", async () => {
    await Promise.all(Array.from({ length: 200 }, () => upgrade("/x", "x", "reset")));
    expect((await fetch(`${origin}/app.js`)).status).toBe(200);
  });
});
