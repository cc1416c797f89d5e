import type { Verb } from "../command/command.ts";
import { askDonor, donorOptions, donorUsage, readArguments } from "./ask.ts";
import { printStatus } from "./status.ts";

const usage = `gleaner finish [options]
Finishes the job under way, takes no other, and pauses then, until \`gleaner resume\`.
${donorUsage}`;

export const finish: Verb = { summary: "finish the job under way, then pause", usage, run };

async function run(args: readonly string[]): Promise<void> {
  const flags = readArguments(args, donorOptions, usage).values;
  await askDonor(flags, "finishThenPause", null);
  await printStatus(flags);
}
