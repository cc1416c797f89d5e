import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { createAdmission } from "../admission/admission.ts";
import { api, modules } from "../test-app.fixture.ts";
import { pingEveryMs, serve } from "./connections.fixture.ts";
import { openBackend, RawClient } from "./raw-client.fixture.ts";

const mib = 1024 ** 2;
const patience = { timeout: 60_000 };
const { world } = modules;

function convexClient(url: string): ConvexClient {
  const client = new ConvexClient(url, {
    webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
    logger: false,
  });
  onTestFinished(() => client.close());
  return client;
}

test(
  "a call that is too large fails with a sentence, and the connection's other work goes on",
  patience,
  async () => {
    const { url } = await openBackend(undefined);
    const client = convexClient(url);
    const seen: string[][] = [];
    client.onUpdate(api.messages.list, { channel: "c" }, (bodies) => seen.push(bodies));
    const sentence =
      /needs 3 MiB, and at most 2 MiB are accepted here without a user's token or the admin key/;
    const large = expect(client.mutation(world.measure, { value: "x".repeat(3 * mib) })).rejects.toThrow(
      sentence,
    );
    const next = client.mutation(api.messages.send, { channel: "c", body: "after" });
    await large;
    await next;
    await expect.poll(() => seen.at(-1)).toEqual(["after"]);
    expect(client.connectionState().connectionCount).toBe(1);
  },
);

test("the admin's calls may be larger", patience, async () => {
  const { url } = await openBackend(undefined);
  const client = convexClient(url);
  (client.client as unknown as { setAdminAuth: (key: string) => void }).setAdminAuth("k");
  expect(await client.mutation(world.measure, { value: "x".repeat(3 * mib) })).toBe(3 * mib);
});

test("a client without room for more messages is read later, and all are answered", patience, async () => {
  const gate = Promise.withResolvers<undefined>();
  const admission = createAdmission();
  const { url } = await serve({ admission }, (runner) => ({
    ...runner,
    runMutation: (call) => gate.promise.then(() => runner.runMutation(call)),
  }));
  const client = await RawClient.open(url, "s");
  const requests = Array.from({ length: 12 }, (_, requestId) => requestId);
  for (const requestId of requests) {
    const args = [{ value: "x".repeat(1.9 * mib) }];
    client.send({ type: "Mutation", requestId, udfPath: "world:measure", args });
  }
  await expect.poll(() => admission.budget.used).toBeGreaterThan(3 * mib);
  await new Promise((resolve) => setTimeout(resolve, 10 * pingEveryMs));
  expect(admission.budget.used).toBeLessThanOrEqual(4 * mib);
  gate.resolve(undefined);
  await client.until(() => client.answered.length === requests.length);
  expect(client.answered).toEqual(requests);
  await expect.poll(() => admission.budget.used).toBe(0);
});

test("a part of a message counts, and is forgotten with its connection", patience, async () => {
  const admission = createAdmission();
  const { url } = await serve({ admission });
  const client = await RawClient.open(url, "s");
  const { _socket: socket } = client.ws as WebSocket & { readonly _socket: NodeJS.WritableStream };
  // The beginning of a frame of 2 MiB.
  const header = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0]);
  socket.write(Buffer.concat([header, Buffer.alloc(1.5 * mib)]));
  await expect.poll(() => admission.budget.used).toBeGreaterThan(1.4 * mib);
  expect(admission.budget.used).toBeLessThanOrEqual(2 * mib + 100);
  client.ws.terminate();
  await expect.poll(() => admission.budget.used).toBe(0);
});

test(
  "a message that does not arrive closes the connection with a reason that clients back off for",
  patience,
  async () => {
    let now = 0;
    const { url } = await serve({ clocks: { wall: Date.now, steady: () => now } });
    const client = await RawClient.open(url, "s");
    const { _socket: socket } = client.ws as WebSocket & { readonly _socket: NodeJS.WritableStream };
    socket.write(Buffer.from([0x81, 0xfe]));
    const closed = new Promise<string>((resolve) =>
      client.ws.on("close", (_, reason) => resolve(String(reason))),
    );
    // Arrives in bytes, so the client is not silent.
    const drip = setInterval(() => {
      now += 5_000;
      if (client.ws.readyState === client.ws.OPEN) socket.write(Buffer.from([0]));
    }, pingEveryMs);
    expect(await closed).toMatch(/^TooManyConcurrentRequests: a message took too long/);
    clearInterval(drip);
  },
);

test("an address with too many connections is told so", patience, async () => {
  const admission = createAdmission({ connectionsPerAddress: 1 });
  const { url } = await serve({ admission });
  const first = await RawClient.open(url, "a");
  const refused = new WebSocket(`${url.replace("http", "ws")}/api/sync`);
  const reason = await new Promise((resolve) =>
    refused.on("close", (code, text) => resolve([code, String(text)])),
  );
  expect(reason).toEqual([
    1013,
    expect.stringMatching(/^TooManyConcurrentRequests: too many connections from this/),
  ]);
  first.ws.terminate();
  await first.closed;
  await expect.poll(async () => (await RawClient.open(url, "b")).ws.readyState).toBe(WebSocket.OPEN);
  expect(admission.refusals.of("address")).toBeGreaterThan(0);
});

test("without memory for its message, a client is told to come back later", patience, async () => {
  const admission = createAdmission();
  const { url } = await serve({ admission });
  const client = await RawClient.open(url, "a");
  const reason = new Promise((resolve) =>
    client.ws.on("close", (code, text) => resolve([code, String(text)])),
  );
  // As if others used all of it.
  admission.budget.open(null).set(admission.limits.totalBytes);
  client.send({ type: "Mutation", requestId: 0, udfPath: "world:measure", args: [{ value: "x" }] });
  expect(await reason).toEqual([
    1013,
    expect.stringMatching(/^TooManyConcurrentRequests: this deployment has no memory/),
  ]);
});

test("a message in thousands of fragments closes its connection", patience, async () => {
  const { url } = await serve();
  const client = await RawClient.open(url, "a");
  for (let n = 0; n < 2_000; n += 1) client.ws.send("x", { fin: false });
  expect(await client.closed).toBe(1008);
});

test("a call over HTTP without a key is refused by its size, before its body is read", patience, async () => {
  const { url } = await openBackend(undefined);
  const anonymous = new ConvexHttpClient(url, { logger: false });
  const large = { value: "x".repeat(3 * mib) };
  await expect(anonymous.mutation(world.measure, large)).rejects.toThrow(
    /at most 2 MiB are accepted here without/,
  );
  const admin = new ConvexHttpClient(url, { logger: false });
  (admin as ConvexHttpClient & { setAdminAuth: (key: string) => void }).setAdminAuth("k");
  expect(await admin.mutation(world.measure, large)).toBe(3 * mib);
});

test("the metrics have the memory of anonymous clients and the refusals", patience, async () => {
  const { url } = await openBackend(undefined);
  const client = convexClient(url);
  await expect(client.mutation(world.measure, { value: "x".repeat(3 * mib) })).rejects.toThrow("at most");
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^convex_embedded_anonymous_bytes \d+$/m);
  expect(metrics).toContain('convex_embedded_refusals_total{reason="message"} 1');
  expect(metrics).toContain('convex_embedded_refusals_total{reason="address"} 0');
});
