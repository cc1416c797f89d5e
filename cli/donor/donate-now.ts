import type { Verb } from "../command/command.ts";
import { askDonor, donorOptions, donorUsage, readArguments, usageError } from "./ask.ts";
import { printStatus } from "./status.ts";
import { parseDuration } from "./times.ts";

const usage = `gleaner donate-now [--for LENGTH] [options]
Has the donor work for an hour, or as long as you say (a day at most), whether somebody uses this computer or not: until
then, or until \`gleaner resume\`. It neither empties a battery nor undoes what the organization locked.
  --for LENGTH           so long: 30m, 2h
${donorUsage}`;

export const donateNow: Verb = { summary: "donate for a while, in use or not", usage, run };

const longestMinutes = 1_440;

async function run(args: readonly string[]): Promise<void> {
  const options = { ...donorOptions, for: { type: "string", default: "1h" } } as const;
  const flags = readArguments(args, options, usage).values;
  const ms = parseDuration(flags.for);
  const minutes = ms === null ? null : Math.ceil(ms / 60_000);
  if (minutes === null || minutes > longestMinutes) {
    throw usageError(`"${flags.for}" is no length of at most a day.`, usage);
  }
  await askDonor(flags, "donateNow", { minutes });
  await printStatus(flags);
}
