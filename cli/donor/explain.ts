import type { Explanation } from "../../app/contract/explanation.ts";
import { explain as explainEntries } from "../../main/journal/explain.ts";
import { readJournal } from "../../main/journal/read-journal.ts";
import { CommandError, type Verb } from "../command/command.ts";
import { askIfRunning, type DonorFlags, donorOptions, donorUsage, readArguments, usageError } from "./ask.ts";
import { donorFolders } from "./folders.ts";
import { sayExplanation } from "./say-explanation.ts";
import { parseDuration, parseMomentBefore } from "./times.ts";

const usage = `gleaner explain [--since WHEN] [options]
Tells when the donor on this computer ran, when not, and why, from the journal that it keeps here; also when it does
not run.
  --since WHEN           so long ago (24h, 3d), or from a moment on (9:00, "yesterday 17:00", 2026-11-20); 24h unless said
${donorUsage}`;

export const explain: Verb = { summary: "tell when the donor ran, when not, and why", usage, run };

async function run(args: readonly string[]): Promise<void> {
  const options = { ...donorOptions, since: { type: "string", default: "24h" } } as const;
  const flags = readArguments(args, options, usage).values;
  const now = Date.now();
  const since = sinceOf(flags.since, now);
  if (since === null)
    throw usageError(`"${flags.since}" is neither a length nor a moment that is past.`, usage);
  const told = (await askIfRunning(flags, "explain", { since })) ?? (await fromFiles(flags, since, now));
  console.log(flags.json ? JSON.stringify(told) : sayExplanation(told));
}

function sinceOf(text: string, now: number): number | null {
  const ms = parseDuration(text);
  if (ms === null) return parseMomentBefore(text, now);
  return ms < now ? now - ms : null;
}

/** No donor runs: the first folder with a journal tells. */
async function fromFiles(flags: DonorFlags, since: number, now: number): Promise<Explanation> {
  for (const folder of donorFolders(flags.data, process.env)) {
    const entries = await readJournal(folder).catch((error: unknown) => {
      throw new CommandError(`The journal in ${folder} cannot be read (${(error as Error).message}).`);
    });
    if (entries.length > 0) return explainEntries(entries, since, now, false);
  }
  return explainEntries([], since, now, false);
}
