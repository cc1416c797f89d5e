import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { add, type Counts, countsLine, none, playwrightCounts, vitestCounts } from "./counts.ts";
import { checks, type Step, suites } from "./steps.ts";

type Result = {
  readonly step: Step;
  readonly counts: Counts;
  /** Why the step was skipped. */
  readonly note: string | null;
};

/**
 * `npm test`: runs every step, even after one failed, and prints the counts.
 * `npm test -- unit pages` runs only the named steps.
 */
async function main(): Promise<number> {
  const names = [...checks, ...suites].map((step) => step.name);
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    console.error(`No such step: ${unknown.join(", ")}. The steps are: ${names.join(", ")}.`);
    return 2;
  }
  const isWanted = ({ name }: Step): boolean => wanted.length === 0 || wanted.includes(name);
  const reports = mkdtempSync(join(tmpdir(), "gleaner-test-"));
  // Hundreds of tests start a backend on the same functions.
  process.env["CONVEX_EMBEDDED_CACHE"] ??= join(
    import.meta.dirname,
    "../../node_modules/.cache/convex-embedded",
  );
  const results: Result[] = await runChecks(checks.filter(isWanted));
  for (const step of suites.filter(isWanted)) results.push(await runSuite(step, join(reports, step.name)));
  rmSync(reports, { recursive: true, force: true });
  const lines = results.flatMap(({ step, counts, note }) => [
    countsLine(step.name, counts),
    ...(note === null ? [] : [`  ${note}`]),
    ...counts.failures.map((failure) => `  failed: ${failure}`),
  ]);
  const total = results.reduce((sum, { counts }) => add(sum, counts), none);
  console.log(`\n${lines.join("\n")}\n\n${countsLine("total", total)}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

/** Runs two checks at a time. Prints the output of each when it has ended, so that they do not mix. */
async function runChecks(wanted: readonly Step[]): Promise<Result[]> {
  const results = new Map<Step, Result>();
  const left = [...wanted];
  const lane = async (): Promise<void> => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      const started = performance.now();
      const { code, output } = await runCaptured(step);
      console.log(`\n── ${step.name}\n${output}${tookLine(step, started)}`);
      results.set(step, { step, counts: byExit(code), note: null });
    }
  };
  await Promise.all([lane(), lane()]);
  return wanted.flatMap((step) => results.get(step) ?? []);
}

async function runSuite(step: Step, report: string): Promise<Result> {
  console.log(`\n── ${step.name}`);
  const tool = (await step.needs?.()) ?? { kind: "found", env: {}, wrap: [] };
  if (tool.kind === "lacking") {
    const note = `skipped: ${tool.reason}. To run them: ${tool.remedy}`;
    console.log(note);
    return { step, counts: isRequired(step) ? { ...none, failed: 1 } : { ...none, skipped: 1 }, note };
  }
  const started = performance.now();
  const code = await run([...tool.wrap, ...step.command], step, `${report}.json`, tool.env);
  console.log(tookLine(step, started));
  return { step, counts: count(step, `${report}.json`, code), note: null };
}

function tookLine({ name }: Step, started: number): string {
  return `   ${name} took ${((performance.now() - started) / 1000).toFixed(1)} s`;
}

/** GLEANER_REQUIRE names the steps that must not be skipped, on a machine that has every tool (CI). */
function isRequired(step: Step): boolean {
  return (process.env["GLEANER_REQUIRE"] ?? "").split(" ").includes(step.name);
}

function start([command = "", ...args]: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn(command, args, { ...options, shell: process.platform === "win32" });
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("close", (code) => resolve(code ?? 1));
    child.once("error", () => resolve(127));
  });
}

async function runCaptured({ command }: Step): Promise<{ readonly code: number; readonly output: string }> {
  const child = start(command, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (text: string): void => void (output += text);
  child.stdout?.setEncoding("utf8").on("data", keep);
  child.stderr?.setEncoding("utf8").on("data", keep);
  return { code: await exitCode(child), output };
}

async function run(
  line: readonly string[],
  step: Step,
  report: string,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const output = step.report === "vitest" ? [`--outputFile.json=${report}`] : [];
  const child = start([...line, ...output], {
    stdio: "inherit",
    env: { ...process.env, ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  });
  return exitCode(child);
}

function byExit(code: number): Counts {
  return code === 0 ? { ...none, passed: 1 } : { ...none, failed: 1 };
}

function count(step: Step, report: string, code: number): Counts {
  if (step.report === "exit-code") return byExit(code);
  try {
    const counts = step.report === "vitest" ? vitestCounts(report) : playwrightCounts(report);
    return code === 0 || counts.failed > 0 ? counts : add(counts, { ...none, failed: 1 });
  } catch {
    // Without a report the test runner itself failed.
    return { ...none, failed: 1 };
  }
}

process.exitCode = await main();
