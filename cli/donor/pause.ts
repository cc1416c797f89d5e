import type { Verb } from "../command/command.ts";
import { askDonor, donorOptions, donorUsage, readArguments, usageError } from "./ask.ts";
import { printStatus } from "./status.ts";
import { parseDuration, parseMomentAfter } from "./times.ts";

const lengthOptions = { ...donorOptions, for: { type: "string" }, until: { type: "string" } } as const;

const lengthUsage = `  --for LENGTH           so long: 2h, 90m, 1h30m, 3d
  --until MOMENT         until then: 17:30, "tomorrow 8:00", "2026-11-23 08:00"`;

const pauseUsage = `gleaner pause [--for LENGTH | --until MOMENT] [options]
Stops donating at once; what runs goes back to the organization. Without a length: until \`gleaner resume\`.
${lengthUsage}
${donorUsage}`;

const snoozeUsage = `gleaner snooze [--for LENGTH | --until MOMENT] [options]
A pause that ends by itself: of one hour, unless told otherwise.
${lengthUsage}
${donorUsage}`;

const longestMs = 366 * 86_400_000;
const snoozeMs = 3_600_000;

export const pause: Verb = {
  summary: "stop donating, until resumed or for a while",
  usage: pauseUsage,
  run: (args) => run(args, pauseUsage, () => null),
};

export const snooze: Verb = {
  summary: "stop donating for an hour, or as long as you say",
  usage: snoozeUsage,
  run: (args) => run(args, snoozeUsage, (now) => now + snoozeMs),
};

async function run(
  args: readonly string[],
  usage: string,
  otherwise: (now: number) => number | null,
): Promise<void> {
  const flags = readArguments(args, lengthOptions, usage).values;
  const now = Date.now();
  const until = endOf(flags, now, usage) ?? otherwise(now);
  await askDonor(flags, "pause", until === null ? { minutes: null } : { until });
  await printStatus(flags);
}

/** Undefined where no end was named. */
function endOf(
  flags: { readonly for?: string | undefined; readonly until?: string | undefined },
  now: number,
  usage: string,
): number | undefined {
  if (flags.for !== undefined && flags.until !== undefined) {
    throw usageError("Either --for or --until, not both.", usage);
  }
  if (flags.for !== undefined) {
    const ms = parseDuration(flags.for);
    if (ms === null || ms > longestMs)
      throw usageError(`"${flags.for}" is no length of at most a year.`, usage);
    return now + ms;
  }
  if (flags.until === undefined) return undefined;
  const moment = parseMomentAfter(flags.until, now);
  if (moment === null || moment > now + longestMs) {
    throw usageError(`"${flags.until}" is no moment within the next year.`, usage);
  }
  return moment;
}
