import { type DonorProblem, sentencesOf } from "../../../app/contract/membership.ts";
import { sayDonorSentence, sayNote } from "../../../app/contract/sentences/donor-sentences.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { formatMoment, formatRelative } from "../../../app/format/time.ts";
import { sayLimits } from "../../../app/policy/limits.ts";
import { activityReasons } from "../../../app/policy/reasons.ts";
import { standbyTone } from "../../ui/status-words.ts";
import type { Tone } from "../../ui/tone.ts";

type StatusText = {
  readonly tone: Tone;
  readonly title: string;
  readonly sentence: string;
  /** Commands and options for an administrator, who knows a terminal. Null: none. */
  readonly note: string | null;
  /** The end of this state or the time of the next check. Null if only a change can end it. */
  readonly next: string | null;
  /** An update that the organization asks for, while the computer donates as before. */
  readonly ask: string | null;
};

type Shown = Pick<DonorSnapshot, "activity" | "pause" | "donateNowUntil" | "recheckAt"> & {
  readonly work?: DonorSnapshot["work"];
  readonly facts?: Pick<DonorSnapshot["facts"], "excludedProgram">;
  readonly organization?: DonorSnapshot["organization"];
  readonly problem?: DonorSnapshot["problem"];
};

/** Describes the donor at `now` (ms since the epoch). */
export function describeStatus(snapshot: Shown, now: number): StatusText {
  const { activity } = snapshot;
  const words = activityReasons[activity.reason];
  const problem = snapshot.problem ?? null;
  return {
    tone: toneOf(snapshot),
    title: titleOf(snapshot, words.short),
    sentence: sentencesOf(activity.reason, sentenceOf(snapshot, words.sentence), problemWords(problem)),
    note: problem === null ? (words.note ?? null) : sayNote(problem.said),
    next: nextWords(snapshot, now),
    ask: askWords(snapshot),
  };
}

function problemWords(problem: DonorProblem | null): string | null {
  return problem === null ? null : sayDonorSentence(problem.said, problem.sentence);
}

/** A program that gets no jobs before its update says so already. */
function askWords({ activity, organization = null }: Shown): string | null {
  if (organization?.askedVersion == null || activity.reason === "outdated") return null;
  return `${organization.name} asks you to update Gleaner to ${organization.askedVersion}.`;
}

/** Titles of the problems that keep a computer from joining its organization, or from reaching it. */
const problemTitles: Readonly<Record<DonorProblem["kind"], string>> = {
  "code-refused": "Code refused",
  "identity-damaged": "Not enrolled",
  "wrong-server": "Wrong server",
  "untrusted-server": "Server not trusted",
  "other-name": "Server not trusted",
  "no-backend": "Wrong address",
  unreachable: "Offline",
  "other-key": "Has to join again",
};

function titleOf(
  { activity, work = null, organization = null, problem = null }: Shown,
  title: string,
): string {
  if (activity.kind === "donating" && activity.reason !== "finishing") {
    return work === null ? "Ready for a job" : "Working on a job";
  }
  if (problem !== null && (activity.reason === "not-enrolled" || activity.reason === "offline")) {
    return problemTitles[problem.kind];
  }
  return activity.reason === "no-model" && organization?.problem != null ? "Models refused" : title;
}

function toneOf({ activity, organization = null, problem = null }: Shown): Tone {
  if (activity.kind === "donating") return "good";
  if (activity.reason === "no-model" && organization?.problem != null) return "bad";
  const isCalm = problem === null || problem.kind === "unreachable" || activity.reason === "paused-by-you";
  return isCalm ? standbyTone(activity.reason) : "bad";
}

function nextWords(
  { activity, pause, donateNowUntil, recheckAt, problem = null }: Shown,
  now: number,
): string | null {
  if (activity.reason === "paused-by-you") {
    return pause === null || pause.until === null
      ? "Until you resume."
      : `Until ${formatMoment(pause.until, now)}.`;
  }
  if (activity.reason === "donate-now" && donateNowUntil !== null) {
    return `Until ${formatMoment(donateNowUntil, now)}. Then your settings decide again.`;
  }
  if (activity.kind === "donating") return sayLimits(activity.limits);
  if (activity.reason === "retired" || (problem !== null && problem.remedy !== "wait")) return null;
  if (recheckAt === null) return null;
  if (activity.reason === "outside-schedule") return `The next hours begin ${atMoment(recheckAt, now)}.`;
  const ms = recheckAt - now;
  return `Gleaner checks again ${ms < hour ? formatRelative(ms) : atMoment(recheckAt, now)}.`;
}

const hour = 3_600_000;

function atMoment(at: number, now: number): string {
  const moment = formatMoment(at, now);
  return /^\d\d:/.test(moment) ? `at ${moment}` : moment;
}

/**
 * Says why there is no model. Names the organization, the version that it asks for, or the excluded program. Only the
 * donor sees that program's name.
 */
function sentenceOf({ activity, facts, organization = null }: Shown, sentence: string): string {
  if (activity.reason === "awaiting-approval" && organization !== null) {
    return `Waiting for an administrator of ${organization.name} to approve this computer.`;
  }
  if (activity.reason === "outdated" && organization?.needsVersion != null) {
    return `Update Gleaner to ${organization.needsVersion} or newer. Then it donates again.`;
  }
  if (activity.reason === "no-model" && organization?.problem != null)
    return sayDonorSentence(organization.problemSaid, organization.problem);
  const program = facts?.excludedProgram;
  if (activity.reason !== "excluded-program" || program?.known !== true || program.value === null) {
    return sentence;
  }
  return `${program.value} is open, one of the programs in the settings for which Gleaner stops. It waits until it is closed.`;
}
