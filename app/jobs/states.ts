import { assertNever } from "../assert-never.ts";

/** Where a job stands. `ready` jobs can be claimed; the last three are final. */
export type JobStatus = "ready" | "running" | "succeeded" | "failed" | "canceled";

/** Where one device's try at a job stands. Only `failed` and `lost` count against the job's retries. */
export type AttemptStatus = "running" | "succeeded" | "failed" | "released" | "lost" | "canceled";

/** Everything that can happen to a job after its submission. */
export type JobEvent =
  | { readonly kind: "claim" }
  | { readonly kind: "complete" }
  /** The device gave up: `final` when the error cannot be retried or the retries are used up. */
  | { readonly kind: "fail"; readonly final: boolean }
  /** The device's person came back: no failure, costs no retry. */
  | { readonly kind: "release" }
  /** The lease ran out. */
  | { readonly kind: "lose"; readonly final: boolean }
  | { readonly kind: "cancel" };

export type JobTransition =
  | { readonly kind: "moved"; readonly job: JobStatus; readonly attempt: AttemptStatus | null }
  | { readonly kind: "illegal"; readonly from: JobStatus; readonly event: JobEvent["kind"] };

/**
 * The job's state machine: the only place that says which status follows which.
 * `attempt` is the new status of the current attempt, null when there is none.
 */
export function transition(from: JobStatus, event: JobEvent): JobTransition {
  const illegal = { kind: "illegal", from, event: event.kind } as const;
  switch (from) {
    case "ready":
      if (event.kind === "claim") return { kind: "moved", job: "running", attempt: "running" };
      if (event.kind === "cancel") return { kind: "moved", job: "canceled", attempt: null };
      return illegal;
    case "running":
      return fromRunning(event) ?? illegal;
    case "succeeded":
    case "failed":
    case "canceled":
      return illegal;
    default:
      return assertNever(from);
  }
}

function fromRunning(event: JobEvent): JobTransition | null {
  switch (event.kind) {
    case "claim":
      return null;
    case "complete":
      return { kind: "moved", job: "succeeded", attempt: "succeeded" };
    case "fail":
      return { kind: "moved", job: event.final ? "failed" : "ready", attempt: "failed" };
    case "release":
      return { kind: "moved", job: "ready", attempt: "released" };
    case "lose":
      return { kind: "moved", job: event.final ? "failed" : "ready", attempt: "lost" };
    case "cancel":
      return { kind: "moved", job: "canceled", attempt: "canceled" };
    default:
      return assertNever(event);
  }
}

export function isFinal(status: JobStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "canceled";
}
