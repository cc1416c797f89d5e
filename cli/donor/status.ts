import type { Verb } from "../command/command.ts";
import { askDonor, type DonorFlags, donorOptions, donorUsage, readArguments } from "./ask.ts";
import { sayStatus } from "./say-status.ts";

const usage = `gleaner status [options]
Says what the donor on this computer does, and why.
${donorUsage}`;

export const status: Verb = { summary: "say what the donor on this computer does, and why", usage, run };

async function run(args: readonly string[]): Promise<void> {
  const flags = readArguments(args, donorOptions, usage).values;
  await printStatus(flags);
}

/** Also the output of every command that changes what the donor does. */
export async function printStatus(flags: DonorFlags): Promise<void> {
  const answer = await askDonor(flags, "status", null);
  console.log(flags.json ? JSON.stringify(answer) : sayStatus(answer, Date.now()));
}
