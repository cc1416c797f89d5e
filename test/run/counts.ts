import { readFileSync } from "node:fs";
import { z } from "zod";

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

export const none: Counts = { passed: 0, failed: 0, skipped: 0 };

const vitestSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numFailedTestSuites: z.number(),
});

const playwrightSchema = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
  errors: z.array(z.unknown()),
});

/** Reads what Vitest's JSON reporter wrote. A suite that could not even load counts as one failure. */
export function vitestCounts(file: string): Counts {
  const report = vitestSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  const failed = Math.max(report.numFailedTests, Math.min(1, report.numFailedTestSuites));
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests };
}

/** Reads what Playwright's JSON reporter wrote. */
export function playwrightCounts(file: string): Counts {
  const { stats, errors } = playwrightSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
  };
}

export function add(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** "unit: 12 passed, 0 failed, 1 skipped" */
export function countsLine(name: string, counts: Counts): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return `${name}: ${counts.passed} passed, ${counts.failed} failed${skipped}`;
}
