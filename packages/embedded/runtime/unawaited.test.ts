import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openFixture } from "./runtime.fixture.ts";

/** A server that leaves each request to `handle`, and tells how many came. */
async function startServer(handle: (response: ServerResponse) => void) {
  const requests: { readonly closed: Promise<unknown> }[] = [];
  const server = createServer((_, response) => {
    requests.push({ closed: once(response, "close") });
    handle(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

test.each(["leavesMutation", "leavesAction", "leavesNested", "leavesAndFails"])(
  "a function that an action has called and not awaited ends with it, and writes nothing: %s",
  async (name) => {
    const { call } = await openFixture();
    await call(`unawaited:${name}`, { text: "left" }).catch(() => null);
    await sleep(300);
    expect(await call("unawaited:texts")).not.toContain("left");
  },
);

test("a function that an action awaits goes on", async () => {
  const { call } = await openFixture();
  await call("unawaited:writesLater", { text: "awaited" });
  expect(await call("unawaited:texts")).toContain("awaited");
});

test.each(["leavesFetches", "leavesSignal"])(
  "a fetch that an action has not awaited ends with it, and what waits for it does not go on: %s",
  async (name) => {
    const { requests, url } = await startServer(() => undefined);
    const { call } = await openFixture();
    await call(`unawaited:${name}`, { url });
    expect(requests).toHaveLength(1);
    await requests[0]?.closed;
    await sleep(100);
    expect(requests).toHaveLength(1);
  },
);

test("a body that an action has not read to its end is not read any further", async () => {
  const { requests, url } = await startServer((response) => {
    response.write("begins");
  });
  const { call } = await openFixture();
  await call("unawaited:leavesBody", { url });
  await requests[0]?.closed;
});
