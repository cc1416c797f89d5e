import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as z from "zod";

/** The results of a step. A test that fails is tried once more. */
const countsSchema = z.object({
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  /** The failed tests with the beginnings of their reasons, if the report has them. */
  failures: z.array(z.string()),
  /** The tests that passed at their second try, with the reasons of the first. They count as passed. */
  secondTries: z.array(z.string()),
});
export type Counts = z.infer<typeof countsSchema>;

export const none: Readonly<Counts> = { passed: 0, failed: 0, skipped: 0, failures: [], secondTries: [] };

/** The file that a test runner's reporter writes its counts to. Undefined if a runner was started by hand. */
export const reportVariable = "GLEANER_TEST_REPORT";

/** Reads the counts that a reporter wrote. Throws if there are none. */
export function readCounts(file: string): Counts {
  return countsSchema.parse(JSON.parse(readFileSync(file, "utf8")));
}

export function writeCounts(counts: Counts): void {
  const file = process.env[reportVariable];
  if (file !== undefined) writeFileSync(file, JSON.stringify(counts));
}

const longestReason = 1_500;

/** The result of a command without a report. If it failed, the end of its output is the reason. */
export function countsOfCommand(code: number, output: string): Counts {
  if (code === 0) return { ...none, passed: 1 };
  const end = stripVTControlCharacters(output).trim().slice(-longestReason);
  const reason =
    end === "" ? `it exited with ${code}` : `its output ended with\n    ${end.replaceAll("\n", "\n    ")}`;
  return { ...none, failed: 1, failures: [reason] };
}

/** One test in the summary: its file, its name, and the beginning of its reason without the stack. */
export function summaryOf(file: string, name: string, reason: string): string {
  const lines = stripVTControlCharacters(reason)
    .split("\n")
    .filter((line) => !/^\s+at /.test(line));
  return `${relative(process.cwd(), file)} > ${name}: ${lines.join("\n    ").slice(0, longestReason)}`;
}

export function add(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failures: [...a.failures, ...b.failures],
    secondTries: [...a.secondTries, ...b.secondTries],
  };
}

/** For example "unit: 12 passed, 0 failed, 1 skipped". */
export function countsLine(name: string, counts: Counts): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return `${name}: ${counts.passed} passed, ${counts.failed} failed${skipped}`;
}
