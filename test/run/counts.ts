import { readFileSync } from "node:fs";
import { relative } from "node:path";
import * as z from "zod";

export type Counts = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The failed tests with the beginnings of their reasons, if the report has them. */
  readonly failures: readonly string[];
};

export const none: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };

const vitestSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numFailedTestSuites: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

const playwrightSchema = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
  errors: z.array(z.unknown()),
});

/** Reads Vitest's JSON report. A suite that could not load counts as one failure. */
export function vitestCounts(file: string): Counts {
  const report = vitestSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  const failed = Math.max(report.numFailedTests, Math.min(1, report.numFailedTestSuites));
  const failures = report.testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message = "", assertionResults }) => {
      const tests = assertionResults.filter((test) => test.status === "failed");
      if (tests.length === 0) return [`${relative(process.cwd(), name)}: ${beginning(message)}`];
      return tests.map(
        (test) =>
          `${relative(process.cwd(), name)} > ${test.fullName}: ${beginning(test.failureMessages?.[0] ?? "")}`,
      );
    });
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests, failures };
}

const longestReason = 1_500;

/** A reason without its stack, so that a run whose output was cut still says why it failed. */
function beginning(reason: string): string {
  const lines = reason.split("\n").filter((line) => !/^\s+at /.test(line));
  return lines.join("\n    ").slice(0, longestReason);
}

/** Reads what Playwright's JSON reporter wrote. */
export function playwrightCounts(file: string): Counts {
  const { stats, errors } = playwrightSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
    failures: [],
  };
}

export function add(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failures: [...a.failures, ...b.failures],
  };
}

/** For example "unit: 12 passed, 0 failed, 1 skipped". */
export function countsLine(name: string, counts: Counts): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return `${name}: ${counts.passed} passed, ${counts.failed} failed${skipped}`;
}
