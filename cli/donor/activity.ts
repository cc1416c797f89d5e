import { sayWeek } from "../../app/comfort/words.ts";
import type { CallAnswer } from "../../app/contract/donor-calls.ts";
import { sentencesOf } from "../../app/contract/membership.ts";
import { formatDuration, formatMoment } from "../../app/format/time.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import type { Verb } from "../command/command.ts";
import { say, sayJson } from "../command/output.ts";
import { askDonor, type DonorFlags, donorOptions, donorUsage } from "./ask.ts";
import { parseDuration, parseMomentAfter } from "./times.ts";

const statusUsage = `gleaner status [options]
Shows what the donor on this computer does, and why.
${donorUsage}`;

const finishUsage = `gleaner finish [options]
Finishes the job under way, takes no other, and then pauses until \`gleaner resume\`.
${donorUsage}`;

const resumeUsage = `gleaner resume [options]
Ends a pause or a snooze, or cancels \`gleaner finish\`. The rules decide again whether to donate.
${donorUsage}`;

const donateNowUsage = `gleaner donate-now [--for DURATION] [options]
Donates for an hour, or as long as you say (a day at most), even while this computer is in use. \`gleaner resume\` ends
it early. It still spares the battery, and respects the rules that the organization locked.
  --for DURATION         for example 30m, 2h
${donorUsage}`;

const lengthUsage = `  --for DURATION         for example 2h, 90m, 1h30m, 3d
  --until TIME           for example 17:30, "tomorrow 8:00", "2026-11-23 08:00"`;

const pauseUsage = `gleaner pause [--for DURATION | --until TIME] [options]
Stops donating at once, and gives the job under way back to the queue. Without --for and --until it lasts until
\`gleaner resume\`.
${lengthUsage}
${donorUsage}`;

const snoozeUsage = `gleaner snooze [--for DURATION | --until TIME] [options]
Pauses for one hour, or as long as you say.
${lengthUsage}
${donorUsage}`;

const lengthOptions = { ...donorOptions, for: { type: "string" }, until: { type: "string" } } as const;
const donateNowOptions = { ...donorOptions, for: { type: "string", default: "1h" } } as const;
const longestPauseMs = 366 * 86_400_000;
const longestDonateNowMinutes = 1_440;
const snoozeMs = 3_600_000;

/* Each command shows or changes what the donor does, and prints the status. */

export const status: Verb = {
  usage: statusUsage,
  options: donorOptions,
  run: (args) => printStatus(readArguments(args, donorOptions, statusUsage).values),
};

export const finish: Verb = {
  usage: finishUsage,
  options: donorOptions,
  run: async (args) => {
    const flags = readArguments(args, donorOptions, finishUsage).values;
    await askDonor(flags, "finishThenPause", null);
    await printStatus(flags);
  },
};

export const resume: Verb = {
  usage: resumeUsage,
  options: donorOptions,
  run: async (args) => {
    const flags = readArguments(args, donorOptions, resumeUsage).values;
    await askDonor(flags, "resume", null);
    await printStatus(flags);
  },
};

export const donateNow: Verb = {
  usage: donateNowUsage,
  options: donateNowOptions,
  run: async (args) => {
    const flags = readArguments(args, donateNowOptions, donateNowUsage).values;
    const ms = parseDuration(flags.for);
    const minutes = ms === null ? null : Math.ceil(ms / 60_000);
    if (minutes === null || minutes > longestDonateNowMinutes) {
      throw usageError(`--for must be a duration of at most a day, not "${flags.for}".`, donateNowUsage);
    }
    await askDonor(flags, "donateNow", { minutes });
    await printStatus(flags);
  },
};

export const pause: Verb = {
  usage: pauseUsage,
  options: lengthOptions,
  run: (args) => runPause(args, pauseUsage, () => null),
};

export const snooze: Verb = {
  usage: snoozeUsage,
  options: lengthOptions,
  run: (args) => runPause(args, snoozeUsage, (now) => now + snoozeMs),
};

async function runPause(
  args: readonly string[],
  usage: string,
  defaultEnd: (now: number) => number | null,
): Promise<void> {
  const flags = readArguments(args, lengthOptions, usage).values;
  const now = Date.now();
  const until = endOf(flags, now, usage) ?? defaultEnd(now);
  await askDonor(flags, "pause", until === null ? { minutes: null } : { until });
  await printStatus(flags);
}

/** Undefined if neither --for nor --until is given. */
function endOf(
  flags: { readonly for?: string | undefined; readonly until?: string | undefined },
  now: number,
  usage: string,
): number | undefined {
  if (flags.for !== undefined && flags.until !== undefined) {
    throw usageError("Use either --for or --until, not both.", usage);
  }
  if (flags.for !== undefined) {
    const ms = parseDuration(flags.for);
    if (ms === null || ms > longestPauseMs) {
      throw usageError(`--for must be a duration of at most a year, not "${flags.for}".`, usage);
    }
    return now + ms;
  }
  if (flags.until === undefined) return undefined;
  const moment = parseMomentAfter(flags.until, now);
  if (moment === null || moment > now + longestPauseMs) {
    throw usageError(`--until must be a time within the next year, not "${flags.until}".`, usage);
  }
  return moment;
}

async function printStatus(flags: DonorFlags): Promise<void> {
  const answer = await askDonor(flags, "status", null);
  if (flags.json) sayJson(answer);
  else say(sayStatus(answer, Date.now()));
}

/** The status in lines for a person. `now` is ms since the epoch. */
function sayStatus(status: CallAnswer<"status">, now: number): string {
  const { activity, organization, device, connection, problem, job, pause, donateNowUntil, finishing } =
    status;
  const lines = [
    `${activity.short}, since ${formatMoment(activity.since, now)}. ${sentencesOf(activity.reason, activity.sentence, problem?.sentence ?? null)}`,
    ...(activity.gives === null ? [] : [activity.gives]),
    organization === null
      ? `Not enrolled yet. Connection: ${connection}.`
      : `${organization}, as ${device ?? "a device"}; ${connection}.`,
  ];
  const { organizationKey: key, organizationProblem, askedVersion, comfort } = status;
  if (key !== undefined && key !== null) lines.push(`The key that signs the organization's models: ${key}`);
  if (organizationProblem !== undefined && organizationProblem !== null) lines.push(organizationProblem);
  if (askedVersion !== undefined && askedVersion !== null)
    lines.push(`The organization asks you to update Gleaner to ${askedVersion}.`);
  if (pause !== null) {
    const end = pause.until === null ? "you run `gleaner resume`" : formatMoment(pause.until, now);
    lines.push(`Paused until ${end}.`);
  }
  if (donateNowUntil !== null)
    lines.push(
      `Donates even while in use, until ${formatMoment(donateNowUntil, now)}. Then its rules decide again.`,
    );
  if (finishing) lines.push("Finishes the job under way, then pauses.");
  if (job !== null) {
    const duration = formatDuration(now - job.startedAt);
    lines.push(`Working on a job for ${job.modelId} (${job.phase}, ${duration} so far).`);
  }
  if (comfort !== undefined && comfort !== null) lines.push(`Comfort: ${sayWeek(comfort)}`);
  return lines.join("\n");
}
