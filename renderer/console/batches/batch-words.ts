import { assertNever } from "../../../app/assert-never.ts";
import { batchEndpoints, type BatchStatus } from "../../../app/batches/limits.ts";
import { shownId } from "../../../app/batches/openai-objects.ts";
import { endChanceOf } from "../../../app/forecast/end-chance.ts";
import { kindWords } from "../../../app/format/job-kind.ts";
import { formatCount, formatShare, plural } from "../../../app/format/quantity.ts";
import { formatMoment } from "../../../app/format/time.ts";
import type { StatusWords } from "../../ui/status-words.ts";
import type { BatchSummary } from "../data/rows.ts";
import { waitWords } from "../jobs/job-words.ts";

const statusWords: Readonly<Record<BatchStatus, StatusWords>> = {
  validating: { tone: "rest", words: "Checking the file" },
  in_progress: { tone: "good", words: "Running" },
  cancelling: { tone: "hold", words: "Canceling" },
  completed: { tone: "good", words: "Completed" },
  failed: { tone: "bad", words: "Failed" },
  expired: { tone: "bad", words: "Expired" },
  cancelled: { tone: "quiet", words: "Canceled" },
};

/** The state of a batch as its badge shows it: a batch that no device works on waits. */
export function stateOf({ status, wait }: Pick<BatchSummary, "status" | "wait">): StatusWords {
  return wait === null ? statusWords[status] : { tone: "hold", words: "Waiting" };
}

/** Filters the batches: all, those that have not ended, or one status. */
export type BatchFilter = "open" | "completed" | "failed" | "expired" | "cancelled" | null;

export const batchFilters: readonly { readonly value: BatchFilter; readonly label: string }[] = [
  { value: null, label: "All" },
  { value: "open", label: "Under way" },
  ...(["completed", "failed", "expired", "cancelled"] as const).map((value) => ({
    value,
    label: statusWords[value].words,
  })),
];

/** The filter that an address names; null for an unknown one. */
export function batchFilterOf(value: string): BatchFilter {
  return batchFilters.find((known) => known.value === value)?.value ?? null;
}

/** Why a batch waits, in a short sentence. */
export function batchWaitWords(wait: NonNullable<BatchSummary["wait"]>, now: number): string {
  switch (wait.kind) {
    case "credits":
      return "Its API key has too few credits for the next request";
    case "quota":
      return "A quota of its API key is used up for now";
    case "budget":
      return "The budget of its API key or of its owner is used up for this month";
    case "queue":
      return "The queue takes no more of its requests at the moment";
    default:
      return waitWords(wait, now);
  }
}

/** Whether its requester or an operator may still cancel it. */
export function isCancelable({ status }: Pick<BatchSummary, "status">): boolean {
  return status === "validating" || status === "in_progress";
}

/** Requests that have ended, with an answer or an error. */
export function endedOf({ completed, failed }: Pick<BatchSummary, "completed" | "failed">): number {
  return completed + failed;
}

/** The name of its file; once that is deleted, the batch's id. */
export function nameOf({ fileName, batchId }: Pick<BatchSummary, "fileName" | "batchId">): string {
  return fileName ?? shownId("batch", batchId);
}

/** "1,234 of 20,000" */
export function progressWords(batch: Pick<BatchSummary, "completed" | "failed" | "total">): string {
  return `${formatCount(endedOf(batch))} of ${formatCount(batch.total)}`;
}

/** "24 hours" from the "24h" of the API. */
export function windowWords(window: string): string {
  const [, count, unit] = /^(\d+)([hd])$/.exec(window) ?? [];
  if (count === undefined) return window;
  return unit === "d"
    ? plural(Number(count), ["# day", "# days"])
    : plural(Number(count), ["# hour", "# hours"]);
}

/** "chat, within 24 hours" */
export function requestWords({ endpoint, window }: Pick<BatchSummary, "endpoint" | "window">): string {
  return `${kindWords(batchEndpoints[endpoint])}, within ${windowWords(window)}`;
}

/** The changes that a cancel of the batch makes, in sentences. */
export function cancelWords({ status, total, completed, failed }: BatchSummary): readonly string[] {
  if (status === "validating") return ["Its file is still being checked, so none of its requests was sent."];
  const left = total - completed - failed;
  return [
    plural(left, [
      "# request that is not answered yet ends as canceled.",
      "# requests that are not answered yet end as canceled.",
    ]),
    ...(completed === 0
      ? []
      : [plural(completed, ["# answer stays and is paid for.", "# answers stay and are paid for."])]),
  ];
}

/** Why an ended batch has requests without an answer, in a sentence; null if no sentence is needed. */
export function endWords({ status, mistakes }: Pick<BatchSummary, "status" | "mistakes">): string | null {
  switch (status) {
    case "failed":
      if (mistakes.some(({ code }) => code === "file_unreadable"))
        return "Its file could not be read to the end. The requests before that have their answers.";
      return mistakes.some(({ code }) => code === "deadline_unreachable")
        ? "It could not end in its time, so none of its requests was sent. Give it more time, or fewer requests."
        : "Its file has mistakes, so none of its requests was sent. Mend them, and make a new batch.";
    case "expired":
      return "Its time was over before all requests were answered. The others are in the error file.";
    case "cancelled":
      return "It was canceled. Requests without an answer are in the error file.";
    case "validating":
    case "in_progress":
    case "cancelling":
    case "completed":
      return null;
    default:
      return assertNever(status);
  }
}

/** The forecast of a batch in sentences. Empty without one. */
export function forecastWords(forecast: BatchSummary["forecast"], now: number): readonly string[] {
  if (forecast === null) return [];
  const { expectedAt, latestAt, onTime } = forecast;
  const end =
    expectedAt === null
      ? "It will probably take more than a week."
      : latestAt === null
        ? `Expected to end ${formatMoment(expectedAt, now)}, but it may take more than a week.`
        : `Expected to end ${formatMoment(expectedAt, now)}; 19 of 20 such batches have ended by ${formatMoment(latestAt, now)}.`;
  const share = formatShare(onTime);
  switch (endChanceOf(onTime)) {
    case "promised":
      return [end];
    case "unsure":
      return [end, `The chance that all requests end in time is ${share}.`];
    case "unlikely":
      return [end, `It will probably not end in time: the chance is ${share}.`];
  }
}
