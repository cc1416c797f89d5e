import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { createAdmission } from "../admission/admission.ts";
import { ReadinessProbe } from "../operations/readiness.ts";
import { openListeners } from "./listeners.ts";
import { Shutdown } from "./shutdown.ts";

/** Sends a request to a port without a handler yet; resolves when it has arrived. */
async function early() {
  const shutdown = new Shutdown();
  onTestFinished(() => shutdown.run());
  const options = { convexDir: tmpdir(), dataFile: "none", adminKey: "k", port: 0, sitePort: 0 };
  const listeners = await openListeners(options, createAdmission(), new ReadinessProbe(), shutdown);
  const arrived = new Promise((resolve) => listeners.site.server.once("request", resolve));
  const answer = fetch(listeners.siteUrl);
  await arrived;
  return { listeners, shutdown, answer };
}

test("a request that arrives before the backend is ready is answered later", async () => {
  const { listeners, answer } = await early();
  listeners.site.serve((_, response) => response.end("here"));
  expect(await (await answer).text()).toBe("here");
});

test("a failed start tells waiting clients to retry", async () => {
  const { shutdown, answer } = await early();
  await shutdown.run();
  expect((await answer).status).toBe(503);
});
