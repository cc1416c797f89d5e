import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { add, type Counts, countsLine, none, playwrightCounts, vitestCounts } from "./counts.ts";
import { type Step, steps } from "./steps.ts";

/**
 * `npm test`: runs every step, even after one failed, and prints the counts.
 * `npm test -- unit pages` runs only the named steps.
 */
async function main(): Promise<number> {
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    console.error(
      `No such step: ${unknown.join(", ")}. The steps are: ${steps.map((step) => step.name).join(", ")}.`,
    );
    return 2;
  }
  const reports = mkdtempSync(join(tmpdir(), "gleaner-test-"));
  const lines: string[] = [];
  let total = none;
  for (const step of steps.filter((step) => wanted.length === 0 || wanted.includes(step.name))) {
    const { counts, note } = await runStep(step, join(reports, `${step.name}.json`));
    total = add(total, counts);
    lines.push(countsLine(step.name, counts), ...(note === null ? [] : [`  ${note}`]));
    lines.push(...counts.failures.map((failure) => `  failed: ${failure}`));
  }
  rmSync(reports, { recursive: true, force: true });
  console.log(`\n${lines.join("\n")}\n\n${countsLine("total", total)}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

async function runStep(step: Step, report: string): Promise<{ counts: Counts; note: string | null }> {
  console.log(`\n── ${step.name}`);
  const tool = (await step.needs?.()) ?? { kind: "found", env: {}, wrap: [] };
  if (tool.kind === "lacking") {
    const note = `skipped: ${tool.reason}. To run them: ${tool.remedy}`;
    console.log(note);
    return { counts: isRequired(step) ? { ...none, failed: 1 } : { ...none, skipped: 1 }, note };
  }
  const started = performance.now();
  const code = await run([...tool.wrap, ...step.command], step, report, tool.env);
  console.log(`   ${step.name} took ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return { counts: count(step, report, code), note: null };
}

/** GLEANER_REQUIRE names the steps that must not be skipped, on a machine that has every tool (CI). */
function isRequired(step: Step): boolean {
  return (process.env["GLEANER_REQUIRE"] ?? "").split(" ").includes(step.name);
}

async function run(
  line: readonly string[],
  step: Step,
  report: string,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const [command = "", ...args] = line;
  const output = step.report === "vitest" ? [`--outputFile.json=${report}`] : [];
  const child = spawn(command, [...args, ...output], {
    stdio: "inherit",
    shell: process.platform === "win32",
    env: { ...process.env, ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  });
  return new Promise((resolve) => {
    child.once("exit", (code) => resolve(code ?? 1));
    child.once("error", () => resolve(127));
  });
}

function count(step: Step, report: string, code: number): Counts {
  const byExit: Counts = code === 0 ? { ...none, passed: 1 } : { ...none, failed: 1 };
  if (step.report === "exit-code") return byExit;
  try {
    const counts = step.report === "vitest" ? vitestCounts(report) : playwrightCounts(report);
    return code === 0 || counts.failed > 0 ? counts : add(counts, { ...none, failed: 1 });
  } catch {
    // Without a report the test runner itself failed.
    return { ...none, failed: 1 };
  }
}

process.exitCode = await main();
