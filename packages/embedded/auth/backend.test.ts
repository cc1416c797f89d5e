import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { makeFunctionReference, type UserIdentity } from "convex/server";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { Backend } from "../compose/backend-options.ts";
import { startBackend } from "../server.ts";
import { testApp } from "../test-app.fixture.ts";
import { type Issuer, startIssuer } from "./issuer.fixture.ts";

const whole = makeFunctionReference<"query", Record<string, never>, UserIdentity | null>("identity:whole");
const list = makeFunctionReference<"query", { channel: string }, string[]>("messages:list");
const channel = "c";

let issuer: Issuer;
beforeEach(async () => {
  issuer = await startIssuer();
  return () => issuer.stop();
});

async function start(convexDir?: string): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), "auth-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const backend = await startBackend({
    convexDir: convexDir ?? testApp,
    dataFile: join(folder, "data.sqlite3"),
    env: { FIXTURE_ISSUER: issuer.url },
    port: 0,
    sitePort: 0,
    adminKey: "k",
  });
  onTestFinished(() => backend.close());
  return backend;
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

type Message = { readonly type: string; readonly [field: string]: unknown };

/** Speaks the protocol by hand: unlike real clients it neither waits nor renews tokens. */
async function speak(backend: Backend) {
  const ws = new WebSocket(`${backend.url.replace("http", "ws")}/api/sync`);
  onTestFinished(() => {
    ws.terminate();
  });
  const heard: Message[] = [];
  ws.on("message", (data: Buffer) => heard.push(JSON.parse(data.toString("utf8")) as Message));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on("close", (code: number, reason: Buffer) => {
      resolve({ code, reason: reason.toString() });
    });
  });
  await new Promise((resolve, reject) => ws.on("open", resolve).on("error", reject));
  const send = (message: unknown): void => {
    ws.send(JSON.stringify(message));
  };
  send({ type: "Connect", sessionId: "s", connectionCount: 0, lastCloseReason: null, clientTs: Date.now() });
  const of = (type: string): readonly Message[] => heard.filter((message) => message.type === type);
  return { send, heard, of, closed };
}

const user = (value: string, baseVersion: number) => ({
  type: "Authenticate",
  tokenType: "User",
  value,
  baseVersion,
});
const say = (requestId: number, body: string) => ({
  type: "Mutation",
  requestId,
  udfPath: "identity:say",
  args: [{ channel, body }],
});

test("messages sent while a token is verified wait, and run in order as the new identity", async () => {
  const backend = await start();
  let answer = (): void => undefined;
  issuer.answer = (response) => {
    answer = () => {
      issuer.answer = null;
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` }));
    };
  };
  const waiting = answer;
  const client = await speak(backend);
  client.send(say(0, "before"));
  client.send(user(await issuer.sign({ sub: "ann" }), 0));
  client.send(say(1, "as ann"));
  client.send({ type: "Authenticate", tokenType: "None", baseVersion: 1 });
  client.send(say(2, "after"));
  await expect.poll(() => answer === waiting || client.of("MutationResponse").length !== 1).toBe(false);
  answer();
  await expect.poll(() => client.of("MutationResponse").length).toBe(3);
  const said = await new ConvexHttpClient(backend.url).query(list, { channel });
  expect(said).toEqual(["nobody: before", "ann: as ann", "nobody: after"]);
});

test("an expired token is reported as expired, once a mutation or a changed query needs it", async () => {
  const backend = await start();
  const token = await issuer.sign({ exp: inSeconds(2) });
  const [writes, watches] = [await speak(backend), await speak(backend)];
  writes.send(user(token, 0));
  watches.send(user(token, 0));
  watches.send({
    type: "ModifyQuerySet",
    baseVersion: 0,
    newVersion: 1,
    modifications: [{ type: "Add", queryId: 0, udfPath: "messages:list", args: [{ channel }] }],
  });
  await expect.poll(() => watches.of("Transition").length).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  expect([...writes.of("AuthError"), ...watches.of("AuthError")]).toEqual([]);
  writes.send(say(0, "too late"));
  const expired = { error: "Convex token identity expired", baseVersion: 1, authUpdateAttempted: false };
  expect((await writes.closed).code).toBe(1008);
  expect(writes.of("AuthError")).toMatchObject([expired]);
  expect(writes.of("MutationResponse")).toEqual([]);
  await new ConvexHttpClient(backend.url).mutation(makeFunctionReference<"mutation">("identity:say"), {
    channel,
    body: "news",
  });
  await watches.closed;
  expect(watches.of("AuthError")).toMatchObject([expired]);
});

test("an unavailable issuer logs nobody out: clients retry until it answers", async () => {
  const backend = await start();
  issuer.answer = (response) => response.writeHead(503).end();
  const token = await issuer.sign({ sub: "ann" });
  const http = new ConvexHttpClient(backend.url, { auth: token });
  await expect(http.query(whole, {})).rejects.toThrow(/AuthProviderDiscoveryFailed.*HTTP 503/);
  const byHand = await speak(backend);
  byHand.send(user(token, 0));
  expect(await byHand.closed).toEqual({ code: 1013, reason: "AuthProviderDiscoveryFailed" });
  expect(byHand.of("AuthError")).toEqual([]);

  const live = new ConvexClient(backend.url, { logger: false, unsavedChangesWarning: false });
  onTestFinished(() => live.close());
  const told: boolean[] = [];
  live.setAuth(
    () => issuer.sign({ sub: "ann", jti: Math.random() }),
    (isAuthenticated) => told.push(isAuthenticated),
  );
  await expect.poll(() => live.connectionState().connectionRetries).toBeGreaterThan(0);
  issuer.answer = null;
  await expect.poll(() => told).toContain(true);
  expect(told).not.toContain(false);
  expect((await live.query(whole, {}))?.subject).toBe("ann");
});

test("an HTTP action gets the reason when it asks for the user of a bad token", async () => {
  const { siteUrl } = await start();
  const ask = async (authorization: string) => {
    const response = await fetch(`${siteUrl}/whoami`, { headers: { authorization } });
    return [response.status, await response.text()];
  };
  expect(await ask(`Bearer ${await issuer.sign({ aud: "other" })}`)).toEqual([
    500,
    expect.stringContaining("No auth provider found matching the given token"),
  ]);
  expect(await ask("Bearer a-key")).toEqual([500, expect.stringContaining("Could not parse JWT payload")]);
  expect(await ask("Convex k")).toEqual([200, "null"]);
});

test("the admin may act as a user, with a generated token identifier", async () => {
  const { url } = await start();
  const http = new ConvexHttpClient(url) as ConvexHttpClient & {
    setAdminAuth: (key: string, as: unknown) => void;
  };
  http.setAdminAuth("k", { issuer: "https://a.example", subject: "ann" });
  expect(await http.query(whole, {})).toMatchObject({ tokenIdentifier: "https://a.example|ann" });
});

test("an invalid auth.config.ts fails the start with the reason", async () => {
  const folder = await mkdtemp(join(tmpdir(), "auth-config-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(
    join(folder, "auth.config.ts"),
    "export default { providers: [{ domain: undefined, applicationID: 'a' }] };",
  );
  await expect(start(folder)).rejects.toThrow(
    /auth\.config\.ts.*providers\[0\]\.domain.*environment variable/s,
  );
});
