import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { expect, onTestFinished, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { type Census, createCensus } from "./census.ts";
import { asAdmin, isEmbedded } from "./deployment.ts";
import { startEmbedded } from "./embedded-backend.ts";

type Backend = Awaited<ReturnType<typeof startEmbedded>>;
/** Numbers of calls that wait at the same time. */
type Burst = {
  readonly queries: number;
  readonly actions: number;
  readonly streams: number;
  /** Calls that end while others wait, and leave timers and a fetch behind. These end with them. */
  readonly careless: number;
};

const clients = 10;
const patience = { timeout: 60_000, interval: 250 };
const usage = makeFunctionReference<"query", Record<string, never>, { running: number }>(
  "_system/embedded/usage",
);
/**
 * For a cron of the test app that may be running, realms that are made ahead, and connections that `fetch` keeps. 1,000 calls
 * need hundreds of MiB.
 */
const spare: Census = { realms: 6, timers: 6, sockets: 10, heapMib: 32 };

// A process on Windows gets no such signal.
test.skipIf(!isEmbedded || process.platform === "win32")(
  "after 1,000 calls that waited at once nothing of them is left",
  { timeout: 240_000 },
  async () => {
    const census = createCensus();
    const backend = await startEmbedded({ env: census.env });
    onTestFinished(async () => {
      await backend.stop();
      census.remove();
    });
    const take = () => census.take((signal) => backend.process.kill(signal));
    // Loads whatever is loaded once.
    await burst(backend, { queries: 10, actions: 10, streams: 10, careless: 0 });
    await expect.poll(() => metric(backend, "websocket_connections"), patience).toBe(0);
    const [before, gaugesBefore] = [await take(), await gauges(backend)];
    const during = await burst(backend, { queries: 300, actions: 400, streams: 300, careless: 50 }, take);
    // An echo does not keep its realm, and neither does a query that has ended.
    expect(during!.realms).toBeGreaterThanOrEqual(before.realms + 400 - spare.realms);
    await expect.poll(() => gauges(backend), patience).toEqual(gaugesBefore);
    await expect.poll(() => running(backend), patience).toBeLessThanOrEqual(1);
    await expect.poll(async () => excess(before, await take()), patience).toEqual({});
  },
);

/** Starts it all, and lets half of the clients leave before their actions end. @returns the census while all of it waits. */
async function burst(
  backend: Backend,
  { queries, actions, streams, careless }: Burst,
  take?: () => Promise<Census>,
): Promise<Census | undefined> {
  const server = await slowServer();
  const live = Array.from({ length: clients }, () => {
    const client = new ConvexClient(backend.url, { logger: false, unsavedChangesWarning: false });
    onTestFinished(() => client.close());
    return client;
  });
  const clientOf = (n: number): ConvexClient => live[n % clients]!;
  const { url } = server;
  const ended = Array.from({ length: actions }, (_, n) =>
    clientOf(n).action(modules.nested.fetched, { url }),
  );
  const watched = Array.from({ length: queries }, (_, n) => {
    const channel = `burst ${String(n)}`;
    return new Promise((resolve) => void clientOf(n).onUpdate(api.messages.list, { channel }, resolve));
  });
  const open = await Promise.all(
    Array.from({ length: streams }, () => openStream(`${backend.siteUrl}/echo`)),
  );
  await Promise.all(watched);
  for (let n = 0; n < careless; n += 1) {
    await clientOf(n).action(modules.nested.leavesInterval, { url });
    expect(await (await fetch(`${backend.siteUrl}/leaves-timers`)).text()).toBe("answered");
  }
  await expect.poll(() => server.waiting, patience).toBe(actions);
  expect(await running(backend)).toBeGreaterThanOrEqual(actions);
  expect(await metric(backend, "live_queries")).toBe(queries);
  const during = await take?.();

  await Promise.all(live.slice(clients / 2).map((client) => client.close()));
  for (const stream of open) stream.destroy();
  server.answerAll();
  const staying = ended.filter((_, n) => n % clients < clients / 2);
  expect(new Set(await Promise.all(staying))).toEqual(new Set(["at last"]));
  await Promise.all(live.map((client) => client.close()));
  server.close();
  return during;
}

/** A server that answers only when it is told to. */
async function slowServer() {
  const waiting: ServerResponse[] = [];
  const server = createServer((_, response) => waiting.push(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    get waiting() {
      return waiting.length;
    },
    answerAll: () => {
      for (const response of waiting) response.setHeader("Connection", "close").end("at last");
    },
    close: () => server.close(),
  };
}

/** Sends the first part of a body, and resolves when it has come back. Neither body ends. */
async function openStream(url: string) {
  const stream = request(url, { method: "POST" });
  stream.on("error", () => undefined);
  stream.write("first");
  const [response] = (await once(stream, "response")) as [NodeJS.ReadableStream];
  response.on("error", () => undefined);
  await once(response, "data");
  return stream;
}

async function metric({ url }: Backend, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^convex_embedded_${name} (\\d+)$`, "m").exec(text)?.[1]);
}

/** The scheduler has subscriptions of its own. */
async function gauges(backend: Backend): Promise<readonly number[]> {
  const names = ["subscriptions", "live_queries", "websocket_connections", "anonymous_bytes"];
  return Promise.all(names.map((name) => metric(backend, name)));
}

async function running({ url, adminKey }: Backend): Promise<number> {
  const client = asAdmin(new ConvexHttpClient(url, { logger: false }), adminKey);
  return (await client.query(usage, {})).running;
}

/** What a process holds beyond an earlier census. */
function excess(before: Census, after: Census): Partial<Census> {
  const names = Object.keys(before) as (keyof Census)[];
  const more = names.filter((name) => after[name] > before[name] + spare[name]);
  return Object.fromEntries(more.map((name) => [name, after[name] - before[name]]));
}
