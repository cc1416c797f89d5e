import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { api } from "../api.ts";
import type { BackendProcess } from "../support/backend-process.ts";
import { withClients } from "../support/clients.ts";
import { residentBytes } from "../support/resident-memory.ts";

/** Resident memory in MB (10^6 bytes), before, while and after many calls wait at once. */
export type Burst = {
  readonly calls: number;
  readonly beforeMb: number;
  readonly duringMb: number;
  readonly afterMb: number;
};

/** The backend runs 64 actions of a connection at a time. */
const callsEach = 50;
const mostCalls = 1_000;
const fewCalls = 50;
/** The second of two collections comes twelve seconds after the first. */
const settleMs = 30_000;

/** The memory that stays after 1,000 actions have waited for an answer at the same time, each in a world of its own. */
export async function measureBurst({ url, pid }: BackendProcess): Promise<Burst> {
  // Loads what is loaded once.
  await waitAtOnce(url, fewCalls, () => undefined);
  await sleep(settleMs);
  const beforeMb = residentMb(pid);
  let duringMb = 0;
  await waitAtOnce(url, mostCalls, () => (duringMb = residentMb(pid)));
  await sleep(settleMs);
  return { calls: mostCalls, beforeMb, duringMb, afterMb: residentMb(pid) };
}

function residentMb(pid: number): number {
  return residentBytes(pid) / 1e6;
}

/** Calls `allWait` when all calls wait, and then lets them end. */
async function waitAtOnce(url: string, calls: number, allWait: () => void): Promise<void> {
  const waiting: ServerResponse[] = [];
  const server = createServer((_, response) => {
    waiting.push(response);
    if (waiting.length < calls) return;
    allWait();
    for (const each of waiting) each.setHeader("Connection", "close").end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const source = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await withClients(url, calls / callsEach, (clients) =>
    Promise.all(
      clients.flatMap((client) =>
        Array.from({ length: callsEach }, () => client.action(api.waiting.fetched, { url: source })),
      ),
    ),
  );
  server.close();
}
