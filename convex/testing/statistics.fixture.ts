import { vi } from "vitest";
import { sealPiece } from "../model/statistics/seal.ts";
import type { Backend, Organization } from "./backend.fixture.ts";

/** Counts all jobs that ended more than a minute ago or now, as the cron does. Needs fake timers. @returns the pieces. */
export async function countStatistics(t: Backend, { organizationId }: Organization): Promise<number> {
  vi.setSystemTime(Date.now() + 60_000);
  for (let pieces = 1; ; pieces += 1) {
    if (!(await t.run(async (ctx) => await sealPiece(ctx, organizationId, Date.now())))) return pieces;
  }
}
