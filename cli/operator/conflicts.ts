import { type ConflictReport, conflictReportSchema } from "@gleaner/embedded/operator";
import { readArguments } from "../command/arguments.ts";
import type { Verb } from "../command/command.ts";
import { say, sayJson } from "../command/output.ts";
import { deploymentOptions, deploymentUsage, findDeployment } from "./deployment.ts";

const usage = `gleaner conflicts [options]
Shows which mutations ran again because another commit had changed the data they read, and in which tables.
${deploymentUsage}
  --reset                reset the counts afterward
  --json                 print the deployment's answer`;

const options = {
  ...deploymentOptions,
  reset: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

export const conflicts: Verb = { usage, options, run };
const path = "/api/embedded/conflicts";
const shownRanges = 5;

async function run(args: readonly string[]): Promise<void> {
  const flags = readArguments(args, options, usage).values;
  const deployment = await findDeployment(flags, process.env);
  const said: unknown = await (await deployment.fetch(path)).json();
  if (flags.json) sayJson(said);
  else say(tableOf(conflictReportSchema.parse(said).functions));
  if (flags.reset) await deployment.fetch(path, { method: "DELETE" });
}

/** The functions with the most conflicts first, each with the index ranges of its conflicts. */
function tableOf(functions: ConflictReport["functions"]): string {
  const rows = Object.entries(functions)
    .filter(([, { conflicts }]) => conflicts > 0)
    .sort(([, a], [, b]) => b.conflicts - a.conflicts);
  if (rows.length === 0) return "No conflicts.";
  return rows
    .flatMap(([name, { runs, conflicts, retries, exhausted, ranges }]) => [
      `${name}: ${conflicts} conflicts in ${runs} runs; ${retries} retried, ${exhausted} failed`,
      ...ranges.slice(0, shownRanges).map((each) => `  ${each.conflicts} × ${each.table}.${each.range}`),
    ])
    .join("\n");
}
