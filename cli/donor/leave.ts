import { departureWords } from "../../app/contract/leaving.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import type { Verb } from "../command/command.ts";
import { say, sayJson } from "../command/output.ts";
import { askDonor, donorOptions, donorUsage } from "./ask.ts";

const usage = `gleaner leave --yes [options]
Takes this computer out of its organization. A running job goes back to the queue, and the organization is told. Then this
computer's key, models, journal and settings are removed. What it earned stays in the organization's books. To join
again, it needs a new enrollment code. A service that starts Gleaner has to be disabled as well.
  --yes                  leave without another question
${donorUsage}`;

const options = { ...donorOptions, yes: { type: "boolean", default: false } } as const;

/** It ends jobs, tells the organization and erases files. A caller that gave up would not hear that the computer has left. */
const leavesWithinMs = 60_000;

export const leave: Verb = { usage, options, run };

async function run(args: readonly string[]): Promise<void> {
  const { values: flags } = readArguments(args, options, usage);
  if (!flags.yes) throw usageError("Leaving cannot be undone. Add --yes to leave.", usage);
  const departure = await askDonor(flags, "leave", null, leavesWithinMs);
  if (flags.json) sayJson(departure);
  else say(departureWords(departure).join("\n"));
}
