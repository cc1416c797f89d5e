import { type ConflictReport, conflictReportSchema } from "@gleaner/embedded/operator";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { adminKey } from "./backend-process.ts";

/** The number of printed ranges per function, most frequent first. */
const maxRanges = 5;

/** Methods of the client that its public types leave out. */
type WithAdminAuth = { setAdminAuth(key: string): void };

/** The conflicts of each function, with table and key range. */
export type Collisions = {
  readonly [name: string]: Omit<ConflictReport["functions"][string], "latest">;
};

/** Runs one of the backend's own queries. */
export function askAsAdmin(url: string, query: string, key = adminKey): Promise<unknown> {
  const admin = new ConvexHttpClient(url, { logger: false });
  (admin as unknown as WithAdminAuth).setAdminAuth(key);
  return admin.query(makeFunctionReference<"query">(query), {});
}

/** The conflicts between mutations since the backend started. */
export async function collisionsOf(url: string, key = adminKey): Promise<Collisions> {
  const { functions } = conflictReportSchema.parse(await askAsAdmin(url, "_system/embedded/conflicts", key));
  return Object.fromEntries(
    Object.entries(functions).map(([name, { latest: _, ...stats }]) => [
      name,
      { ...stats, ranges: stats.ranges.slice(0, maxRanges) },
    ]),
  );
}
