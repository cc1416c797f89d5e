import { ConvexHttpClient } from "convex/browser";
import { api } from "../api.ts";
import { median } from "../support/statistics.ts";

export const small = 1_000;
export const large = 100_000;
/** Documents of one mutation: within what Convex lets one write. */
const batch = 1_000;

export type ReadTimes = { readonly small: number; readonly large: number };

export async function fillTables(url: string, largeRows = large): Promise<void> {
  const client = new ConvexHttpClient(url, { logger: false });
  await client.mutation(api.rows.fill, { table: "small", from: 0, count: small });
  for (let from = 0; from < largeRows; from += batch) {
    await client.mutation(api.rows.fill, { table: "large", from, count: batch });
  }
}

/**
 * Milliseconds of an index read that returns ten documents, as a client sees it: the median over reads of the two
 * tables in turn, each of another place. A query over HTTP is run anew; nothing answers it from memory.
 */
export async function measureReads(url: string, perTable: number): Promise<ReadTimes> {
  const client = new ConvexHttpClient(url, { logger: false });
  const read = async (table: "small" | "large", place: number): Promise<number> => {
    const rows = table === "small" ? small : large;
    // A stride that is prime to the number of groups comes by all of them.
    const group = (place * 7_919) % (rows / 100);
    const from = group * 100 + (place % 90);
    const began = performance.now();
    const found = await client.query(api.rows.ten, { table, group: `g${group}`, from });
    const took = performance.now() - began;
    if (found.length !== 10) throw new Error(`Read ${found.length} documents of ${table} instead of ten.`);
    return took;
  };
  const times = { small: [] as number[], large: [] as number[] };
  for (let place = 0; place < 1.2 * perTable; place += 1) {
    const took = { small: await read("small", place), large: await read("large", place) };
    if (place < 0.2 * perTable) continue;
    times.small.push(took.small);
    times.large.push(took.large);
  }
  return { small: median(times.small), large: median(times.large) };
}
