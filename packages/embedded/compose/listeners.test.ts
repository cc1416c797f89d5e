import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { ReadinessProbe } from "../operations/readiness.ts";
import { Closing } from "./closing.ts";
import { openListeners } from "./listeners.ts";

/** Sends a request to a port without a handler yet; resolves when it has arrived. */
async function early() {
  const closing = new Closing();
  onTestFinished(() => closing.run());
  const options = { convexDir: tmpdir(), dataFile: "none", adminKey: "k", port: 0, sitePort: 0 };
  const listeners = await openListeners(options, new ReadinessProbe(), closing);
  const arrived = new Promise((resolve) => listeners.site.server.once("request", resolve));
  const answer = fetch(listeners.siteUrl);
  await arrived;
  return { listeners, closing, answer };
}

test("a request that came before the backend was ready is answered by it", async () => {
  const { listeners, answer } = await early();
  listeners.site.serve((_, response) => response.end("here"));
  expect(await (await answer).text()).toBe("here");
});

test("a failed start tells waiting clients to retry", async () => {
  const { closing, answer } = await early();
  await closing.run();
  expect((await answer).status).toBe(503);
});
