import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { createAdmission } from "../admission/admission.ts";
import { ManualTurns } from "../admission/manual-turns.fixture.ts";
import type { TokenVerifier } from "../auth/token-verifier.ts";
import { pingEveryMs, serve } from "./connections.fixture.ts";
import { maxPendingBytes, maxPendingMessages } from "./inbound.ts";
import { RawClient } from "./raw-client.fixture.ts";

/** Reading pauses at `maxPendingBytes`, as for a client with an identity. */
const large = 16 * 1024 ** 2;
const limits = { messageBytes: large, connectionBytes: maxPendingBytes + large, totalBytes: 4 * 1024 ** 3 };

const messages = 30;
const bytesEach = 8_000_000;
/** Capacity of the system's buffers on both sides, plus the message that exceeded the limit. */
const inTransit = 20_000_000 + bytesEach;
const everyRequest = Array.from({ length: messages }, (_, requestId) => requestId);

function flood(client: RawClient): void {
  const args = [{ value: "x".repeat(bytesEach) }];
  for (const requestId of everyRequest) {
    client.send({ type: "Mutation", requestId, udfPath: "world:measure", args });
  }
}

/** Waits until reading has stopped for longer than a client may leave pings unanswered. */
async function untilNothingIsRead(client: RawClient): Promise<void> {
  for (let before = -1; before !== client.ws.bufferedAmount;) {
    before = client.ws.bufferedAmount;
    await sleep(pingEveryMs * 10);
  }
}

const unread = messages * bytesEach - maxPendingBytes - inTransit;

test(
  "requests beyond the limit are not read until earlier ones are done",
  {
    timeout: 60_000,
  },
  async () => {
    const gate = Promise.withResolvers<undefined>();
    const { url, connections } = await serve({ admission: createAdmission(limits) }, (runner) => ({
      ...runner,
      runMutation: (call) => gate.promise.then(() => runner.runMutation(call)),
    }));
    const client = await RawClient.open(url, "flood");
    flood(client);
    await untilNothingIsRead(client);
    expect(client.ws.bufferedAmount).toBeGreaterThan(unread);
    expect([client.answered, connections.size]).toEqual([[], 1]);
    gate.resolve(undefined);
    await client.until(() => client.answered.length === messages);
    expect(client.answered).toEqual(everyRequest);
  },
);

test("requests beyond the limit are not read while a token is verified", async () => {
  const gate = Promise.withResolvers<undefined>();
  const verify: TokenVerifier["verify"] = async () => {
    await gate.promise;
    return { kind: "verified", attributes: { subject: "ann", issuer: "i" }, expiresAt: Infinity };
  };
  const { url, connections } = await serve({ tokens: { verify } });
  const client = await RawClient.open(url, "flood");
  client.send({ type: "Authenticate", tokenType: "User", value: "x.y.z", baseVersion: 0 });
  flood(client);
  await untilNothingIsRead(client);
  expect(client.ws.bufferedAmount).toBeGreaterThan(unread);
  expect([client.answered, connections.size]).toEqual([[], 1]);
  gate.resolve(undefined);
  await client.until(() => client.answered.length === messages);
  expect(client.answered).toEqual(everyRequest);
});

test("a paused client can be disconnected", async () => {
  const gate = Promise.withResolvers<undefined>();
  const { url, connections } = await serve({ admission: createAdmission(limits) }, (runner) => ({
    ...runner,
    runMutation: (call) => gate.promise.then(() => runner.runMutation(call)),
  }));
  const client = await RawClient.open(url, "flood");
  flood(client);
  await untilNothingIsRead(client);
  const closed = connections.close();
  expect(await client.closed).toBe(1001);
  gate.resolve(undefined);
  await closed;
});

test("thousands of small requests at once are all answered, on one connection", async () => {
  const many = 2 * maxPendingMessages;
  const { url } = await serve({});
  const client = await RawClient.open(url, "many");
  for (let requestId = 0; requestId < many; requestId++) {
    client.send({ type: "Mutation", requestId, udfPath: "world:measure", args: [{ value: "x" }] });
  }
  await client.until(() => client.answered.length === many);
  expect(client.answered).toEqual(Array.from({ length: many }, (_, requestId) => requestId));
});

test("pings that arrive at once are answered one in each turn", async () => {
  const turns = new ManualTurns();
  // This client sends no Connect message, so some pings of the server would end it.
  const { url } = await serve({ admission: { ...createAdmission(), turns }, pingEveryMs: 600_000 });
  const ws = new WebSocket(`${url.replace("http", "ws")}/api/sync`);
  onTestFinished(() => ws.terminate());
  let pongs = 0;
  ws.on("pong", () => (pongs += 1));
  await once(ws, "open");
  for (let n = 0; n < 1_000; n += 1) ws.ping();
  await expect.poll(() => turns.waiting).toBeGreaterThan(0);
  for (let turn = 0; turn < 10; turn += 1) {
    turns.next();
    await sleep(20);
    // An answer may come late.
    expect(pongs).toBeLessThanOrEqual(turn + 1);
  }
  await expect.poll(() => pongs).toBeGreaterThan(0);
});
