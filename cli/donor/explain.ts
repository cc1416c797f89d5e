import type { Explanation } from "../../app/contract/explanation.ts";
import { explain as explainEntries } from "../../main/journal/explain.ts";
import { readJournal } from "../../main/journal/read-journal.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { CommandError, type Verb } from "../command/command.ts";
import { say, sayJson } from "../command/output.ts";
import { askIfRunning, type DonorFlags, donorFolders, donorOptions, donorUsage } from "./ask.ts";
import { sayExplanation } from "./say-explanation.ts";
import { parseDuration, parseMomentBefore } from "./times.ts";

const usage = `gleaner explain [--since WHEN] [options]
Shows when the donor on this computer donated, when it did not, and why. Reads the donor's journal, so it works even if
no donor runs.
  --since WHEN           a duration back (24h, 3d), or a time (9:00, "yesterday 17:00", 2026-11-20); default 24h
${donorUsage}`;

const options = { ...donorOptions, since: { type: "string", default: "24h" } } as const;

export const explain: Verb = { usage, options, run };

async function run(args: readonly string[]): Promise<void> {
  const flags = readArguments(args, options, usage).values;
  const now = Date.now();
  const since = sinceOf(flags.since, now);
  if (since === null)
    throw usageError(`--since must be a duration or a time in the past, not "${flags.since}".`, usage);
  const told = (await askIfRunning(flags, "explain", { since })) ?? (await fromFiles(flags, since, now));
  if (flags.json) sayJson(told);
  else say(sayExplanation(told));
}

function sinceOf(text: string, now: number): number | null {
  const ms = parseDuration(text);
  if (ms === null) return parseMomentBefore(text, now);
  return ms < now ? now - ms : null;
}

/** Reads the first folder with a journal, if no donor runs. */
async function fromFiles(flags: DonorFlags, since: number, now: number): Promise<Explanation> {
  for (const folder of donorFolders(flags.data, process.env)) {
    const entries = await readJournal(folder).catch((error: unknown) => {
      throw new CommandError(`The journal in ${folder} cannot be read (${(error as Error).message}).`);
    });
    if (entries.length > 0) return explainEntries(entries, since, now, false);
  }
  return explainEntries([], since, now, false);
}
