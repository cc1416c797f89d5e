import { assertNever } from "../../../app/assert-never.ts";
import { jobErrorWords } from "../../../app/contract/job-errors.ts";
import { formatCount, formatTenths } from "../../../app/format/quantity.ts";
import { formatMoment } from "../../../app/format/time.ts";
import type { JobStatus } from "../../../app/jobs/states.ts";
import { reasonWords } from "../../../app/policy/reasons.ts";
import type { StatusWords } from "../../ui/status-words.ts";
import { attemptWords } from "../../ui/status-words.ts";
import type { JobDetail, JobRow } from "../data/rows.ts";
import type { HandOver } from "./timeline.ts";

export const jobWords: Readonly<Record<JobStatus, StatusWords>> = {
  waiting: { tone: "hold", words: "Waiting" },
  ready: { tone: "hold", words: "Ready" },
  prefetched: { tone: "hold", words: "Assigned" },
  running: { tone: "good", words: "Running" },
  succeeded: { tone: "good", words: "Done" },
  failed: { tone: "bad", words: "Failed" },
  canceled: { tone: "quiet", words: "Canceled" },
  expired: { tone: "bad", words: "Expired" },
};

/** Why a job waits, in a short sentence. */
export function waitWords(wait: NonNullable<JobRow["wait"]>, now: number): string {
  switch (wait.kind) {
    case "time": {
      const until = wait.until === null || wait.until <= now ? null : formatMoment(wait.until, now);
      if (until === null) return wait.retried ? "Tried again soon" : "Starts soon";
      return wait.retried ? `Tried again at ${until}` : `Starts at ${until}`;
    }
    case "job":
      return "Waits for another job to finish";
    case "limit": {
      if (wait.constrained)
        return "Its API key's requests with schemas are limited, because some stopped devices";
      return wait.limit === null
        ? "Its API key's limit of jobs at once is reached"
        : `Its API key's limit of jobs at once is reached (${String(wait.limit)})`;
    }
    case "paused": {
      const since = wait.since === null ? null : formatMoment(wait.since, now);
      const paused = wait.by === null ? "Its lane is paused" : `Its lane is paused by ${wait.by}`;
      return since === null ? paused : `${paused} since ${since}`;
    }
    case "no-worker":
      return "No device is donating";
    case "no-model":
      return "No donating device has the model";
    case "no-match":
      return "No donating device meets its requirements";
    case "busy":
      return "The devices that can run it are busy";
    default:
      return assertNever(wait);
  }
}

/** How an attempt ended, in words, with what the device said about it. */
export function endWords(attempt: JobDetail["attempts"][number]): string {
  const { words } = attemptWords[attempt.status];
  if (attempt.error !== null) return `${words}: ${jobErrorWords(attempt.error)}`;
  const reason = attempt.releaseReason === null ? null : reasonWords(attempt.releaseReason);
  return reason === null ? words : `${words}: ${(reason.toOthers ?? reason).short}`;
}

/** Why a job left a device, or a second one got it, too. */
export function handOverWords({ how, from, to }: HandOver): string {
  switch (how) {
    case "stolen":
      if (from.releaseReason !== null) return "It was not started in time";
      return to === null ? "Another device was free first" : `${nameOf(to)} was free first`;
    case "released": {
      const reason = from.releaseReason === null ? null : reasonWords(from.releaseReason);
      return reason === null ? "Given back" : `Given back: ${(reason.toOthers ?? reason).short}`;
    }
    case "lost":
      return "Its lease expired: the device did not answer anymore";
    case "failed":
      return "It failed there, and is tried again";
    case "second":
      return `${nameOf(from)} was far slower than expected, so a second device got it, too`;
    default:
      return assertNever(how);
  }
}

/** The name of an attempt's device. A deleted one has none. */
export function nameOf({ deviceName }: Pick<JobDetail["attempts"][number], "deviceName">): string {
  return deviceName === "" ? "A deleted device" : deviceName;
}

/** Filters the jobs: all, one status, or the failed and expired ones that can be retried. */
export type JobFilter = JobStatus | "dead" | null;

export const jobFilters: readonly { readonly value: JobFilter; readonly label: string }[] = [
  { value: null, label: "All" },
  ...(Object.keys(jobWords) as JobStatus[]).map((value) => ({ value, label: jobWords[value].words })),
  { value: "dead", label: "Failed or expired" },
];

/** The filter that an address names; null for an unknown one. */
export function filterOf(value: string): JobFilter {
  return jobFilters.find((known) => known.value === value)?.value ?? null;
}

/** Whether no device has started the job yet. */
export function isQueued(status: JobStatus): boolean {
  return status === "waiting" || status === "ready" || status === "prefetched";
}

export function isOpen(status: JobStatus): boolean {
  return isQueued(status) || status === "running";
}

/** How long a job waited until its first start, and how long it ran; null: not yet. The rest passes until now. */
export function spansOf(
  { submittedAt, startedAt, finishedAt }: Pick<JobRow, "submittedAt" | "startedAt" | "finishedAt">,
  now: number,
): { readonly waitedMs: number; readonly ranMs: number | null } {
  const whole = (ms: number): number => Math.max(0, ms);
  // A clock that runs shows seconds: smaller units would only flicker.
  const sinceNow = (from: number): number => whole(Math.floor((now - from) / 1_000) * 1_000);
  if (startedAt === null) {
    return {
      waitedMs: finishedAt === null ? sinceNow(submittedAt) : whole(finishedAt - submittedAt),
      ranMs: null,
    };
  }
  return {
    waitedMs: whole(startedAt - submittedAt),
    ranMs: finishedAt === null ? sinceNow(startedAt) : whole(finishedAt - startedAt),
  };
}

/** Tokens per second, as "42 tokens/s"; null if the time is too short to tell. */
export function speedWords(tokens: number, ms: number): string | null {
  if (ms <= 0 || tokens === 0) return null;
  const perSecond = tokens / (ms / 1_000);
  return `${perSecond >= 10 ? formatCount(perSecond) : formatTenths(perSecond)} tokens/s`;
}

/** "1,038 in (900 cached), 212 out" */
export function tokenWords({
  promptTokens,
  cachedPromptTokens = 0,
  completionTokens,
}: NonNullable<JobDetail["usage"]>): string {
  const [read, cached, written] = [promptTokens, cachedPromptTokens, completionTokens].map(formatCount);
  return cachedPromptTokens > 0
    ? `${read ?? ""} in (${cached ?? ""} cached), ${written ?? ""} out`
    : `${read ?? ""} in, ${written ?? ""} out`;
}
