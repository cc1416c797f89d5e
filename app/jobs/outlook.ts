import { plural } from "../format/quantity.ts";

/** How the wait of a queued job looks now. */
export type Outlook = {
  /** How many jobs are before it; `exact` only while they are few. Null: it waits for something else than a device. */
  readonly ahead: { readonly jobs: number; readonly exact: boolean } | null;
  /** How long devices take for those, in ms. Null: unknown. */
  readonly expectedMs: number | null;
  /** The devices that take such jobs now, busy ones included. */
  readonly workers: number;
};

/** Why a job waits, as the queue names it. Null: a device has it, or is about to take it. */
export type WaitsFor =
  "time" | "job" | "limit" | "paused" | "no-worker" | "no-model" | "no-match" | "busy" | null;

/** The outlook in a few words, such as "about 12 jobs before it, about 40 s, 3 devices". */
export function outlookWords({ ahead, expectedMs, workers }: Outlook): string {
  const place = ahead === null ? [] : [placeWords(ahead)];
  const time = expectedMs === null ? [] : [`about ${secondsIn(expectedMs)}`];
  return [...place, ...time, plural(workers, ["# device", "# devices"])].join(", ");
}

/** Says in one sentence why a job has no answer yet. */
export function unansweredWords({
  status,
  waitsFor,
  outlook,
}: {
  readonly status: string;
  readonly waitsFor: WaitsFor;
  readonly outlook: Outlook | null;
}): string {
  if (status === "running") return "A device works on it, and has not finished.";
  switch (waitsFor) {
    case "no-worker":
      return "No device of your organization donates at the moment.";
    case "no-model":
      return "Devices donate at the moment, but none of them has the model.";
    case "no-match":
      return "Devices donate at the moment, but none of them meets the requirements.";
    case "busy":
      return outlook === null
        ? "All devices that could do it are busy."
        : `All devices that could do it are busy: ${outlookWords(outlook)}.`;
    case "limit":
      return "This API key has as many jobs under way as its limit allows.";
    case "paused":
      return "An administrator paused such jobs.";
    case "time":
      return "It is tried again after a while.";
    case "job":
      return "It waits for another job.";
    case null:
      return "A device is about to start it.";
  }
}

function placeWords({ jobs, exact }: NonNullable<Outlook["ahead"]>): string {
  return `${exact ? "" : "about "}${plural(jobs, ["# job", "# jobs"])} before it`;
}

/** Whole seconds, so that nobody reads more into an estimate than it has. */
function secondsIn(ms: number): string {
  return `${String(Math.round(ms / 1_000))} s`;
}
