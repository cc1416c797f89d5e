import { parseArgs } from "node:util";
import {
  type ConflictReport,
  conflictReportSchema,
} from "../../packages/embedded/runtime/run/conflict-report.ts";
import { CommandError, EXIT_USAGE, type Verb } from "../command/command.ts";
import { deploymentOptions, deploymentUsage, findDeployment } from "./deployment.ts";

const usage = `gleaner conflicts [options]
Shows which mutations were run again since another commit had changed what they read, and where that was.
${deploymentUsage}
  --reset                count from zero again, after showing
  --json                 print what the deployment answers`;

export const conflicts: Verb = { summary: "show what mutations lose to each other, and where", usage, run };

const PATH = "/api/gleaner/conflicts";
const SHOWN_RANGES = 5;

async function run(args: readonly string[]): Promise<void> {
  const flags = readFlags(args);
  const deployment = await findDeployment(flags, process.env);
  const said: unknown = await (await deployment.fetch(PATH)).json();
  if (flags.json) console.log(JSON.stringify(said));
  else console.log(tableOf(conflictReportSchema.parse(said).functions));
  if (flags.reset) await deployment.fetch(PATH, { method: "DELETE" });
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...deploymentOptions,
        reset: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`, EXIT_USAGE);
  }
}

/** The functions that lost most first, each with the ranges in which it did. */
function tableOf(functions: ConflictReport["functions"]): string {
  const rows = Object.entries(functions)
    .filter(([, { conflicts }]) => conflicts > 0)
    .sort(([, a], [, b]) => b.conflicts - a.conflicts);
  if (rows.length === 0) return "No mutation has lost a race.";
  return rows
    .flatMap(([name, { runs, conflicts, retries, exhausted, ranges }]) => [
      `${name}: ${conflicts} conflicts in ${runs} runs; ${retries} run again, ${exhausted} given up`,
      ...ranges.slice(0, SHOWN_RANGES).map((each) => `  ${each.conflicts} × ${each.table}.${each.range}`),
    ])
    .join("\n");
}
