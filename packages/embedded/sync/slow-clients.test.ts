import type { Socket } from "node:net";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { expect, test } from "vitest";
import { createAdmission } from "../admission/admission.ts";
import { unknownSource } from "../wire/request-source.ts";
import { serve } from "./connections.fixture.ts";
import { openBackend, RawClient } from "./raw-client.fixture.ts";

const megabyte = 1_000_000;
/** More than the system's buffers on both sides hold. */
const inTransit = 20 * megabyte;

const send = makeFunctionReference<"mutation", { channel: string; body: string }>("messages:send");

test("a slow client gets only the newest state", async () => {
  const backend = await openBackend(undefined);
  const writer = new ConvexHttpClient(backend.url, { logger: false });
  await writer.mutation(send, { channel: "c", body: "x".repeat(0.9 * megabyte) });
  const client = await RawClient.open(backend.url, "slow");
  client.watch("messages:list", { channel: "c" });
  await client.until(() => client.transitions.length === 1);
  client.ws.pause();
  const commits = 80;
  for (let n = 0; n < commits; n += 1) await writer.mutation(send, { channel: "c", body: `${n}` });
  client.ws.resume();
  const newest = (): number => (client.transitions.at(-1)![0]!.value as string[]).length;
  await client.until(() => newest() === 1 + commits);
  expect(client.received).toBeLessThan(inTransit);
});

test("a client that sends requests and does not read is dropped, and its memory is bounded", async () => {
  const admission = createAdmission();
  let dropped = (): void => undefined;
  const wasDropped = new Promise<void>((resolve) => (dropped = resolve));
  const { url } = await serve({ admission, onDropped: () => dropped() });
  const client = await RawClient.open(url, "deaf");
  client.ws.pause();
  const data = "x".repeat(megabyte);
  // Each answer repeats the request: 100 MB in all.
  for (let requestId = 0; requestId < 100; requestId += 1) {
    client.send({ type: "Mutation", requestId, udfPath: "values:failWithData", args: [{ data }] });
  }
  let most = 0;
  const reading = setInterval(() => (most = Math.max(most, admission.budget.used)), 1);
  await wasDropped;
  clearInterval(reading);
  client.ws.resume();
  await client.closed;
  expect(client.received).toBeLessThan(inTransit);
  expect(most).toBeLessThanOrEqual(admission.limits.connectionBytes);
});

test("the answers that many clients do not read fit the budget of all", async () => {
  const totalBytes = 64 * 1024 ** 2;
  const admission = createAdmission({ totalBytes });
  const sockets: Socket[] = [];
  const { url } = await serve({
    admission,
    maxConnections: 100,
    // Pings would end the silent clients.
    pingEveryMs: 60_000,
    sourceOf: ({ socket }) => {
      sockets.push(socket);
      return unknownSource;
    },
  });
  const unread = (): number => sockets.reduce((sum, { writableLength }) => sum + writableLength, 0);
  const writer = await RawClient.open(url, "writer");
  const body = "x".repeat(0.9 * megabyte);
  writer.send({ type: "Mutation", requestId: 0, udfPath: "messages:send", args: [{ channel: "c", body }] });
  await writer.until(() => writer.answered.length === 1);
  const clients = 8;
  let most = 0;
  for (let n = 0; n < clients; n += 1) {
    const client = await RawClient.open(url, `deaf-${n}`);
    client.ws.pause();
    const before = [unread(), admission.refusals.of("memory")].join();
    // 27 MB for each client.
    client.watch("messages:list", { channel: "c" }, 30);
    const now = (): string => [unread(), admission.refusals.of("memory")].join();
    await expect.poll(now).not.toBe(before);
    most = Math.max(most, unread());
  }
  expect(most).toBeGreaterThan(totalBytes / 8);
  expect(most).toBeLessThanOrEqual(totalBytes);
  expect(admission.refusals.of("memory")).toBeGreaterThan(0);
  expect(admission.budget.used).toBeGreaterThanOrEqual(unread());
  expect(admission.budget.used).toBeLessThanOrEqual(totalBytes);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => admission.budget.used).toBe(0);
});
