import { plural } from "../format/quantity.ts";

/** How the wait of a queued job looks now. */
export type Outlook = {
  /** How many jobs are before it; `exact` only while they are few. Null: it waits for something else than a device. */
  readonly ahead: { readonly jobs: number; readonly exact: boolean } | null;
  /** How long devices take for those, in ms. Null: unknown. */
  readonly expectedMs: number | null;
  /** The devices that take such jobs now, busy ones included. */
  readonly workers: number;
  /** The organization's devices, if none donates; null: some do, or it waits for something else. */
  readonly notDonating: NotDonating | null;
};

/** Numbers of devices that do not donate, by their state. Of a large fleet, as of the last minute. */
export type NotDonating = Readonly<Record<"offline" | "standby" | "paused" | "outdated" | "pending", number>>;

/** Why a job waits, as the queue names it. Null: a device has it, or is about to take it. */
export type WaitsFor =
  "time" | "job" | "limit" | "paused" | "no-worker" | "no-model" | "no-match" | "busy" | null;

/** The outlook in a few words, such as "about 12 jobs before it, about 40 s, 3 devices". */
export function outlookWords({ ahead, expectedMs, workers, notDonating }: Outlook): string {
  const place = ahead === null ? [] : [placeWords(ahead)];
  const time = expectedMs === null ? [] : [`about ${secondsIn(expectedMs)}`];
  const devices = `${plural(workers, ["# device", "# devices"])}${notDonatingWords(notDonating)}`;
  return [...place, ...time, devices].join(", ");
}

/** The states of devices that do not donate, in the order in which they are told. */
const stateWords = {
  offline: ["# is offline", "# are offline"],
  standby: ["# is in use or waits by its own rules", "# are in use or wait by their own rules"],
  paused: ["# is paused", "# are paused"],
  outdated: ["# needs an update", "# need an update"],
  pending: ["# waits for approval", "# wait for approval"],
} as const satisfies Record<keyof NotDonating, readonly [string, string]>;

/** Why no device donates, as a clause behind a colon. "" if that is not known. */
function notDonatingWords(devices: NotDonating | null): string {
  if (devices === null) return "";
  const states = Object.keys(stateWords) as (keyof NotDonating)[];
  const told = states.flatMap((state) =>
    devices[state] === 0 ? [] : [plural(devices[state], stateWords[state])],
  );
  return told.length === 0 ? "" : `: ${told.join(", ")}`;
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
      return `No device of your organization donates at the moment${notDonatingWords(outlook?.notDonating ?? null)}.`;
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
