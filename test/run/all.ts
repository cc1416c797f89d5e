import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { add, type Counts, countsLine, countsOfCommand, none, readCounts, reportVariable } from "./counts.ts";
import { type Step, steps } from "./steps.ts";
import { TimeLimit } from "./time-limit.ts";

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
  const names = steps.map((step) => step.name);
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    console.error(`No such step: ${unknown.join(", ")}. The steps are: ${names.join(", ")}.`);
    return 2;
  }
  const minutes = Number(process.env["GLEANER_TEST_MINUTES"] ?? Infinity);
  const limit = new TimeLimit(60 * minutes);
  const startedAt = performance.now();
  const tooLate = ({ usualSeconds }: Step): boolean =>
    !limit.allows(usualSeconds, (performance.now() - startedAt) / 1_000);
  const reports = mkdtempSync(join(tmpdir(), "gleaner-test-"));
  // Hundreds of tests start a backend on the same functions. With compiled code a start takes a second less.
  const cache = join(import.meta.dirname, "../../node_modules/.cache");
  process.env["CONVEX_EMBEDDED_CACHE"] ??= join(cache, "convex-embedded");
  process.env["NODE_COMPILE_CACHE"] ??= join(cache, "node");
  const results: Result[] = [];
  for (const group of groupsOf(steps.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))) {
    const inTime = (step: Step): boolean => {
      if (!tooLate(step)) return true;
      results.push(leftOut(step, minutes));
      return false;
    };
    results.push(
      ...(group.length > 1
        ? await runPairs(group, reports, inTime)
        : inTime(group[0])
          ? [await runStep(group[0], reports)]
          : []),
    );
    const usual = group.reduce((sum, { usualSeconds }) => sum + usualSeconds, 0);
    limit.ended(group.length > 1 ? usual / lanes : usual);
  }
  rmSync(reports, { recursive: true, force: true });
  const lines = results.flatMap(({ step, counts, note }) => [
    countsLine(step.name, counts),
    ...(note === null ? [] : [`  ${note}`]),
    ...counts.failures.map((failure) => `  failed: ${failure}`),
    ...counts.secondTries.map((test) => `  passed at its second try: ${test}`),
  ]);
  const total = results.reduce((sum, { counts }) => add(sum, counts), none);
  console.log(`\n${lines.join("\n")}\n\n${countsLine("total", total)}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

type Group = readonly [Step, ...Step[]];

/** The steps in their order: those beside each other that may run in pairs, and each other one alone. */
function groupsOf(wanted: readonly Step[]): readonly Group[] {
  const groups: [Step, ...Step[]][] = [];
  for (const step of wanted) {
    const last = groups.at(-1);
    if (step.pairs === true && last?.[0].pairs === true) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

/** A step that this machine is too slow for. It counts as skipped, also where tools are required. */
function leftOut(step: Step, minutes: number): Result {
  const note = `skipped: it would not end within the ${String(minutes)} minutes of the whole run. To run them: npm test -- ${step.name}`;
  console.log(`\n── ${step.name}\n${note}`);
  return { step, counts: { ...none, skipped: 1 }, note };
}

/** Steps that run at a time. */
const lanes = 2;

/** Runs two steps at a time. Prints the output of each when it has ended, so that they do not mix. */
async function runPairs(
  group: Group,
  reports: string,
  inTime: (step: Step) => boolean,
): Promise<readonly Result[]> {
  console.log(`\n── ${group.map(({ name }) => name).join(", ")}: two at a time`);
  const results = new Map<Step, Result>();
  const left = [...group];
  const lane = async (): Promise<void> => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      if (!inTime(step)) continue;
      const lines: string[] = [];
      results.set(step, await runStep(step, reports, lines));
      console.log(lines.join("\n"));
    }
  };
  await Promise.all([lane(), lane()]);
  return group.flatMap((step) => results.get(step) ?? []);
}

/** @param lines gets the output, which is printed as it comes if this is left out */
async function runStep(step: Step, reports: string, lines?: string[]): Promise<Result> {
  const print = (line: string): void => {
    if (lines === undefined) console.log(line);
    else lines.push(line);
  };
  print(`\n── ${step.name}`);
  const tool = (await step.needs?.()) ?? { kind: "found", env: {}, wrap: [] };
  if (tool.kind === "lacking") {
    const note = `skipped: ${tool.reason}. To run them: ${tool.remedy}`;
    print(note);
    return { step, counts: isRequired(step) ? { ...none, failed: 1 } : { ...none, skipped: 1 }, note };
  }
  const [started, coresBefore] = [performance.now(), coreTimes()];
  const report = join(reports, `${step.name}.json`);
  const isKept = lines !== undefined;
  const ended = await run([...tool.wrap, ...step.command], report, tool.env, isKept);
  if (ended.output !== "") print(ended.output.trimEnd());
  const [seconds, cores] = [(performance.now() - started) / 1000, coreTimes()];
  const busy = (cores.busy - coresBefore.busy) / Math.max(1, cores.all - coresBefore.all);
  print(
    `   ${step.name} took ${seconds.toFixed(1)} s; the cores were busy for ${(busy * 100).toFixed(0)} % of it`,
  );
  return { step, counts: count(step, report, ended), note: null };
}

/** The time that all cores have worked, for any program, and their whole time since the system's start, in ms. */
function coreTimes(): { readonly busy: number; readonly all: number } {
  const times = cpus().map(({ times: { user, nice, sys, idle, irq } }) => ({
    busy: user + nice + sys + irq,
    idle,
  }));
  const busy = times.reduce((sum, core) => sum + core.busy, 0);
  return { busy, all: times.reduce((sum, core) => sum + core.idle, busy) };
}

/** GLEANER_REQUIRE names the steps that must not be skipped, on a machine that has every tool (CI). */
function isRequired(step: Step): boolean {
  return (process.env["GLEANER_REQUIRE"] ?? "").split(" ").includes(step.name);
}

/** `output` is empty if it was printed as it came. */
type Ended = { readonly code: number; readonly output: string };

/** Runs a command to its end. Its output is kept, or printed as it comes. A command that cannot start exits with 127. */
async function run(
  [command = "", ...args]: readonly string[],
  report: string,
  env: Readonly<Record<string, string>>,
  isKept: boolean,
): Promise<Ended> {
  const child = spawn(command, args, {
    stdio: isKept ? ["ignore", "pipe", "pipe"] : "inherit",
    env: { ...process.env, ...env, [reportVariable]: report },
    shell: process.platform === "win32",
  });
  let output = "";
  const keep = (text: string): void => void (output += text);
  child.stdout?.setEncoding("utf8").on("data", keep);
  child.stderr?.setEncoding("utf8").on("data", keep);
  const code = await new Promise<number>((resolve) => {
    child.once("close", (exit) => resolve(exit ?? 1));
    child.once("error", () => resolve(127));
  });
  return { code, output };
}

function count(step: Step, report: string, { code, output }: Ended): Counts {
  if (step.report === "exit-code") return countsOfCommand(code, output);
  try {
    const counts = readCounts(report);
    return code === 0 || counts.failed > 0 ? counts : add(counts, { ...none, failed: 1 });
  } catch {
    // Without a report the test runner itself failed.
    return { ...none, failed: 1 };
  }
}

process.exitCode = await main();
