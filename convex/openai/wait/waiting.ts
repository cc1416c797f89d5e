import { type Outlook, outlookWords, unansweredWords } from "../../../app/jobs/outlook.ts";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { RequesterJob } from "../../model/requests/requesterJob.ts";
import { logBug, outcomeOf } from "../outcome.ts";

/** How often a stream tells how its job waits. An outlook reads some hundred rows, and thousands of calls may wait. ms. */
export const outlookEveryMs = 30_000;

/** A job's outlook in the fields of OpenAI's style. Seconds, rounded. Null: it does not wait. */
export function queueBody(outlook: Outlook | null): object | null {
  if (outlook === null) return null;
  const { ahead, expectedMs, workers, notDonating } = outlook;
  return {
    jobs_ahead: ahead?.jobs ?? null,
    is_exact: ahead?.exact ?? null,
    expected_wait_seconds: expectedMs === null ? null : Math.round(expectedMs / 1_000),
    devices_ready: workers,
    devices_not_donating: notDonating,
  };
}

/** The same as headers. What is unknown is left out. */
export function queueHeaders(outlook: Outlook | null): Readonly<Record<string, string>> {
  if (outlook === null) return {};
  const { ahead, expectedMs, workers } = outlook;
  return {
    ...(ahead === null ? {} : { "x-gleaner-jobs-ahead": String(ahead.jobs) }),
    ...(expectedMs === null ? {} : { "x-gleaner-expected-wait": String(Math.round(expectedMs / 1_000)) }),
    "x-gleaner-devices-ready": String(workers),
  };
}

/** A job that has no answer yet: why, the same in few words, and its headers. */
type Waiting = {
  readonly why: string;
  readonly short: string;
  readonly headers: Readonly<Record<string, string>>;
};

const unknown: Waiting = { why: "", short: "", headers: {} };

/** How a job's wait looks now. Never rejects: without it, the requester only knows less. */
export async function waitingOf(
  ctx: ActionCtx,
  { keyId, jobId }: { readonly keyId: Id<"apiKeys">; readonly jobId: string },
): Promise<Waiting> {
  const read = await outcomeOf<RequesterJob>(ctx.runQuery(internal.requests.jobAdmitted, { keyId, jobId }));
  if (read.kind === "failed") logBug("the outlook of a job could not be read", read.thrown);
  if (read.kind !== "ok") return unknown;
  const { outlook } = read.value;
  return {
    why: unansweredWords(read.value),
    short: outlook === null ? "" : outlookWords(outlook),
    headers: queueHeaders(outlook),
  };
}
