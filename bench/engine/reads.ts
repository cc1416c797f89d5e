import { ConvexHttpClient } from "convex/browser";
import { api } from "../api.ts";
import { repetitions } from "../support/repetitions.ts";
import { median } from "../support/statistics.ts";

const small = 1_000;
const large = 100_000;
/** Documents per mutation, within Convex's limit. */
const batch = 1_000;
const withinMs = 20_000;

type ReadTimes = { readonly small: number; readonly large: number };

export async function fillTables(url: string, largeRows = large): Promise<void> {
  const client = new ConvexHttpClient(url, { logger: false });
  await client.mutation(api.rows.fill, { table: "small", from: 0, count: small });
  for (let from = 0; from < largeRows; from += batch) {
    await client.mutation(api.rows.fill, { table: "large", from, count: batch });
  }
}

/**
 * The time of an index read of ten documents for a client, in ms: the median over alternating reads of both
 * tables, each of other rows. A query over HTTP is never answered from memory.
 */
export async function measureReads(
  url: string,
  perTable: number,
  ten: typeof api.rows.ten = api.rows.ten,
): Promise<ReadTimes> {
  const client = new ConvexHttpClient(url, { logger: false });
  const read = async (table: "small" | "large", round: number): Promise<number> => {
    const rows = table === "small" ? small : large;
    // A stride that is coprime to the number of groups visits all of them.
    const group = (round * 7_919) % (rows / 100);
    const from = group * 100 + (round % 90);
    const began = performance.now();
    const found = await client.query(ten, { table, group: `g${group}`, from });
    const took = performance.now() - began;
    if (found.length !== 10) throw new Error(`Read ${found.length} documents of ${table} instead of ten.`);
    return took;
  };
  const times = { small: [] as number[], large: [] as number[] };
  for (const round of repetitions(1.2 * perTable, withinMs, { least: 0.2 * perTable + 1 })) {
    const took = { small: await read("small", round), large: await read("large", round) };
    if (round < 0.2 * perTable) continue;
    times.small.push(took.small);
    times.large.push(took.large);
  }
  return { small: median(times.small), large: median(times.large) };
}
