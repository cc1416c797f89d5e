import type { Verb } from "../command/command.ts";
import { askDonor, donorOptions, donorUsage, readArguments } from "./ask.ts";
import { printStatus } from "./status.ts";

const usage = `gleaner resume [options]
Ends a pause, a snooze, and what \`gleaner finish\` began. The rules decide again whether to donate.
${donorUsage}`;

export const resume: Verb = { summary: "end a pause", usage, run };

async function run(args: readonly string[]): Promise<void> {
  const flags = readArguments(args, donorOptions, usage).values;
  await askDonor(flags, "resume", null);
  await printStatus(flags);
}
