import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { expect, test } from "vitest";
import { createAdmission } from "../admission/admission.ts";
import { serve } from "./connections.fixture.ts";
import { openBackend, RawClient } from "./raw-client.fixture.ts";

const megabyte = 1_000_000;
/** More than the system's buffers on both sides hold. */
const inTransit = 20 * megabyte;

const send = makeFunctionReference<"mutation", { channel: string; body: string }>("messages:send");

test("a slow client gets only the newest state", { timeout: 60_000 }, async () => {
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
  const newest = (): number => (client.transitions.at(-1)?.[0]?.value as string[]).length;
  await client.until(() => newest() === 1 + commits);
  expect(client.received).toBeLessThan(inTransit);
});

test(
  "a client that sends requests and does not read is dropped, and its memory is bounded",
  { timeout: 60_000 },
  async () => {
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
  },
);
