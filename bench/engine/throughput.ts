import type { ConvexClient } from "convex/browser";
import { api } from "../api.ts";
import { withClients } from "../support/clients.ts";
import { repetitions } from "../support/repetitions.ts";
import { median } from "../support/statistics.ts";

const connections = 8;
/** Concurrent calls per client, so that neither side waits for the network. */
const underWay = 16;
const withinMs = 30_000;

type Write = typeof api.notes.write;

/** Acknowledged one-document mutations per second, from eight clients at once: the median of the rounds. */
export function measureThroughput(
  url: string,
  rounds: number,
  perRound: number,
  write: Write = api.notes.write,
): Promise<number> {
  return withClients(url, connections, async (clients) => {
    await writeAll(clients, write, Math.ceil(perRound / 4));
    const rates: number[] = [];
    for (const _ of repetitions(rounds, withinMs)) rates.push(await writeAll(clients, write, perRound));
    return median(rates);
  });
}

async function writeAll(clients: readonly ConvexClient[], write: Write, total: number): Promise<number> {
  let left = total;
  const began = performance.now();
  const work = async (client: ConvexClient, number: number): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await client.mutation(write, { client: number, text: `note ${left}` });
    }
  };
  const workers = clients.flatMap((client, number) =>
    Array.from({ length: underWay }, () => work(client, number)),
  );
  await Promise.all(workers);
  return (total / (performance.now() - began)) * 1000;
}
