/**
 * Where a job stands. `waiting`: for its time, for other jobs, or for its turn. `ready`: can be claimed.
 * `prefetched`: a worker holds it and has not begun, so that it can be stolen. The last four are final.
 */
export type JobStatus =
  "waiting" | "ready" | "prefetched" | "running" | "succeeded" | "failed" | "canceled" | "expired";

/** Where one worker's try at a job stands. Only `failed` and `lost` count against the job's retries. */
export type AttemptStatus =
  "prefetched" | "running" | "succeeded" | "failed" | "released" | "stolen" | "lost" | "canceled" | "expired";

/** Everything that can happen to a job after its submission. `final`: not to be tried again. */
export type JobEvent =
  /** What it waited for has come. */
  | { readonly kind: "wake" }
  | { readonly kind: "claim"; readonly begun: boolean }
  /** The worker begins what it had prefetched. */
  | { readonly kind: "start" }
  | { readonly kind: "complete" }
  /** The worker gave up. Not final: `delayed` when a back-off has to pass first. */
  | { readonly kind: "fail"; readonly final: boolean; readonly delayed: boolean }
  /** Given back, mostly because a person came back: no failure, costs no retry. */
  | { readonly kind: "release" }
  /** Taken by another worker before it was begun. */
  | { readonly kind: "steal"; readonly begun: boolean }
  /** The lease ran out. */
  | { readonly kind: "lose"; readonly final: boolean }
  | { readonly kind: "cancel" }
  /** Not begun by `expiresAt`, or not done by `deadlineAt`. */
  | { readonly kind: "expire" }
  /** A dead letter is tried again. `waits`: for what it depends on, or for its turn. */
  | { readonly kind: "revive"; readonly waits: boolean };

export type Transition = {
  readonly job: JobStatus;
  /** The new status of the attempt that was the current one; null when there was none. */
  readonly attempt: AttemptStatus | null;
};

const openStatuses: readonly JobStatus[] = ["waiting", "ready", "prefetched", "running"];

export function isFinal(status: JobStatus): boolean {
  return !openStatuses.includes(status);
}

/** Whether it ended so that it can be tried again. */
export function isDeadLetter(status: JobStatus): boolean {
  return status === "failed" || status === "expired";
}

/** The job's state machine: which status follows which; null when the event is illegal there. */
export function transition(from: JobStatus, event: JobEvent): Transition | null {
  switch (event.kind) {
    case "wake":
      return from === "waiting" ? { job: "ready", attempt: null } : null;
    case "claim":
      return from === "ready" ? { job: event.begun ? "running" : "prefetched", attempt: null } : null;
    case "start":
      return from === "prefetched" ? { job: "running", attempt: "running" } : null;
    case "steal":
      return from === "prefetched"
        ? { job: event.begun ? "running" : "prefetched", attempt: "stolen" }
        : null;
    case "complete":
      return isHeld(from) ? { job: "succeeded", attempt: "succeeded" } : null;
    case "fail":
      return isHeld(from) ? { job: afterFailure(event), attempt: "failed" } : null;
    case "lose":
      return isHeld(from) ? { job: event.final ? "failed" : "ready", attempt: "lost" } : null;
    case "release":
      return isHeld(from) ? { job: "ready", attempt: "released" } : null;
    case "cancel":
      return isFinal(from) ? null : { job: "canceled", attempt: isHeld(from) ? "canceled" : null };
    case "expire":
      return isFinal(from) ? null : { job: "expired", attempt: isHeld(from) ? "expired" : null };
    case "revive":
      return from === "failed" || from === "expired"
        ? { job: event.waits ? "waiting" : "ready", attempt: null }
        : null;
  }
}

/** Whether a worker holds it. */
export function isHeld(status: JobStatus): boolean {
  return status === "prefetched" || status === "running";
}

/** Whether it counts against the limits of its requester and its key. */
export function hasTurn(status: JobStatus): boolean {
  return status === "ready" || isHeld(status);
}

function afterFailure({ final, delayed }: { final: boolean; delayed: boolean }): JobStatus {
  if (final) return "failed";
  return delayed ? "waiting" : "ready";
}
