import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { expect, test } from "vitest";
import { openBackend, RawClient } from "./raw-client.fixture.ts";

const connections = 6;
const each = 5;
const commits = 4;

const send = makeFunctionReference<"mutation", { channel: string; body: string }>("messages:send");

test("equal subscriptions of many connections share one run per commit", async () => {
  const backend = await openBackend(undefined);
  const writer = new ConvexHttpClient(backend.url, { logger: false });
  const clients = await Promise.all(
    Array.from({ length: connections }, (_, n) => RawClient.open(backend.url, `session-${n}`)),
  );
  // The function draws a random number per run, so equal numbers mean the same run.
  for (const client of clients) client.watch("messages:listWithRun", { channel: "c" }, each);
  const results = (client: RawClient, count: number) =>
    client.transitions
      .flat()
      .map(({ value }) => value as { readonly count: number; readonly run: number })
      .filter((value) => value.count === count);
  for (let count = 0; count <= commits; count += 1) {
    if (count > 0) await writer.mutation(send, { channel: "c", body: "x" });
    await Promise.all(clients.map((client) => client.until(() => results(client, count).length === each)));
    const runs = clients.flatMap((client) => results(client, count).map(({ run }) => run));
    expect(runs).toHaveLength(connections * each);
    expect(new Set(runs).size).toBe(1);
  }
});
