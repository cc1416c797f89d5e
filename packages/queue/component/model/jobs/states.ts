import type { Infer } from "convex/values";
import { type attemptStatus, finalStatus, jobStatus } from "../../../shared/validators.ts";

export type JobStatus = Infer<typeof jobStatus>;

/** Everything that can happen to a job after its submission. `final`: it is not retried. */
export type JobEvent =
  /** The job no longer has to wait. */
  | { readonly kind: "wake" }
  | { readonly kind: "claim"; readonly begun: boolean }
  /** The worker starts a job that it had prefetched. */
  | { readonly kind: "start" }
  | { readonly kind: "complete" }
  /** The worker gave up. `delayed`: the next try follows after a back-off. */
  | { readonly kind: "fail"; readonly final: boolean; readonly delayed: boolean }
  /** The worker gave the job back, usually because a person returned. Counts as no failure. */
  | { readonly kind: "release" }
  /** Another worker took the job before it was started. */
  | { readonly kind: "steal"; readonly begun: boolean }
  /** A second worker gets the job, because the first one takes far longer than expected. */
  | { readonly kind: "double" }
  /** The worker's lease expired. */
  | { readonly kind: "markLost"; readonly final: boolean }
  | { readonly kind: "cancel" }
  /** The job was not started by `expiresAt`, or not finished by `deadlineAt`. */
  | { readonly kind: "expire" }
  /** A dead letter is retried. `waits`: for its dependencies or its turn. */
  | { readonly kind: "retry"; readonly waits: boolean };

export type Transition = {
  readonly job: JobStatus;
  /** The new status of the current attempt; null if there was no attempt. */
  readonly attempt: Infer<typeof attemptStatus> | null;
};

export const allStatuses: readonly JobStatus[] = jobStatus.members.map(({ value }) => value);
const finalStatuses: readonly JobStatus[] = finalStatus.members.map(({ value }) => value);
export const openStatuses = allStatuses.filter((status) => !isFinal(status));

export function isFinal(status: JobStatus): status is Infer<typeof finalStatus> {
  return finalStatuses.includes(status);
}

/** Whether the job is a dead letter. */
export function isDeadLetter(status: JobStatus): boolean {
  return status === "failed" || status === "expired";
}

/** The job's state machine. Returns null if the event is illegal in this status. */
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
    case "double":
      return from === "running" ? { job: "running", attempt: null } : null;
    case "complete":
      return isHeld(from) ? { job: "succeeded", attempt: "succeeded" } : null;
    case "fail":
      return isHeld(from) ? { job: afterFailure(event), attempt: "failed" } : null;
    case "markLost":
      return isHeld(from) ? { job: event.final ? "failed" : "ready", attempt: "lost" } : null;
    case "release":
      return isHeld(from) ? { job: "ready", attempt: "released" } : null;
    case "cancel":
      return isFinal(from) ? null : { job: "canceled", attempt: isHeld(from) ? "canceled" : null };
    case "expire":
      return isFinal(from) ? null : { job: "expired", attempt: isHeld(from) ? "expired" : null };
    case "retry":
      return from === "failed" || from === "expired"
        ? { job: event.waits ? "waiting" : "ready", attempt: null }
        : null;
  }
}

/** With two attempts at once. `other`: the new status of the attempt that the event is not about; null: it goes on. */
export type PairTransition = Transition & { readonly other: Transition["attempt"] };

/**
 * The state machine of a job that two workers have at once. It is running. The first result wins. If one attempt ends in
 * another way, the job goes on with the other one, and has its status. Returns null if the event is illegal.
 * @param other the status of the attempt that the event is not about.
 */
export function pairTransition(event: JobEvent, other: "prefetched" | "running"): PairTransition | null {
  switch (event.kind) {
    case "start":
      return { job: "running", attempt: "running", other: null };
    case "complete":
      return { job: "succeeded", attempt: "succeeded", other: "outrun" };
    case "fail":
      // Only a verdict on the job is final while another worker may still succeed.
      return event.final
        ? { job: "failed", attempt: "failed", other: "outrun" }
        : { job: other, attempt: "failed", other: null };
    case "markLost":
      return event.final ? null : { job: other, attempt: "lost", other: null };
    case "release":
      return { job: other, attempt: "released", other: null };
    case "cancel":
      return { job: "canceled", attempt: "canceled", other: "canceled" };
    case "expire":
      return { job: "expired", attempt: "expired", other: "expired" };
    case "wake":
    case "claim":
    case "steal":
    case "double":
    case "retry":
      return null;
  }
}

/** Whether a worker holds the job. */
export function isHeld(status: JobStatus): boolean {
  return status === "prefetched" || status === "running";
}

/** Whether the job counts against the limits of its requester and its key. */
export function hasTurn(status: JobStatus): boolean {
  return status === "ready" || isHeld(status);
}

function afterFailure({ final, delayed }: { final: boolean; delayed: boolean }): JobStatus {
  if (final) return "failed";
  return delayed ? "waiting" : "ready";
}
