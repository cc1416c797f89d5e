import type { ControlAnswer } from "../../main/face/local-socket/calls.ts";
import type { Verb } from "../command.ts";
import { askDonor, type DonorFlags, donorOptions, donorUsage, readArguments } from "./ask.ts";
import { sayStatus } from "./say-status.ts";

const usage = `gleaner status [options]
Says what the donor on this computer does, and why.
${donorUsage}`;

export const status: Verb = { summary: "say what the donor on this computer does, and why", usage, run };

async function run(args: readonly string[]): Promise<void> {
  const flags = readArguments(args, donorOptions, usage).values;
  printStatus(await askDonor(flags, "status", null), flags);
}

/** What every command answers that changes what the donor does. */
export function printStatus(answer: ControlAnswer<"status">, flags: Pick<DonorFlags, "json">): void {
  console.log(flags.json ? JSON.stringify(answer) : sayStatus(answer, Date.now()));
}
