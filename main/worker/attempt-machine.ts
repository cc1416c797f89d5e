import { assertNever } from "../../app/assert-never.ts";
import type { ChatResult, JobError } from "../../app/jobs/chat.ts";

/**
 * Where a held attempt stands on this device.
 *
 *   running ──done──▶ completing ─┐
 *      │ ────failed─▶ failing ────┤ answered
 *      │                          ├─────────▶ ended
 *      ├──yield──▶ stopping ──stopped──▶ releasing ─┘
 *      └──gone───▶ dropping ──stopped/done/failed──▶ ended
 *
 * `stopping` and `dropping` wait for the runner to be off the CPU. A result that comes while stopping is
 * still a result. `gone` means that the backend no longer counts the attempt as ours: canceled, or fenced.
 */
export type AttemptState =
  | { readonly kind: "running" }
  | { readonly kind: "stopping"; readonly reason: string }
  | { readonly kind: "dropping" }
  | { readonly kind: "completing" }
  | { readonly kind: "failing" }
  | { readonly kind: "releasing" }
  | { readonly kind: "ended" };

export type AttemptEvent =
  | { readonly kind: "done"; readonly result: ChatResult }
  | { readonly kind: "failed"; readonly error: JobError }
  /** The runner stopped without a result. */
  | { readonly kind: "stopped" }
  | { readonly kind: "yield"; readonly reason: string }
  | { readonly kind: "gone" }
  /** The backend answered the last call about it, whatever it said. */
  | { readonly kind: "answered" };

export type AttemptEffect =
  | { readonly kind: "abort" }
  | { readonly kind: "complete"; readonly result: ChatResult }
  | { readonly kind: "fail"; readonly error: JobError }
  | { readonly kind: "release"; readonly reason: string };

export type AttemptStep = { readonly next: AttemptState; readonly effect: AttemptEffect | null };

export function step(state: AttemptState, event: AttemptEvent): AttemptStep {
  const stay: AttemptStep = { next: state, effect: null };
  switch (state.kind) {
    case "running":
      return fromRunning(event) ?? stay;
    case "stopping":
      if (event.kind === "gone") return { next: { kind: "dropping" }, effect: null };
      if (event.kind === "stopped") return release(state.reason);
      return ended(event) ?? stay;
    case "dropping": {
      const over = event.kind === "stopped" || event.kind === "done" || event.kind === "failed";
      return over ? { next: { kind: "ended" }, effect: null } : stay;
    }
    case "completing":
    case "failing":
    case "releasing":
      return event.kind === "answered" ? { next: { kind: "ended" }, effect: null } : stay;
    case "ended":
      return stay;
    default:
      return assertNever(state);
  }
}

function fromRunning(event: AttemptEvent): AttemptStep | null {
  switch (event.kind) {
    case "yield":
      return { next: { kind: "stopping", reason: event.reason }, effect: { kind: "abort" } };
    case "gone":
      return { next: { kind: "dropping" }, effect: { kind: "abort" } };
    case "stopped":
      // Nobody here asked for it: let another device try, at no cost to the job.
      return release("stopped");
    case "done":
    case "failed":
      return ended(event);
    case "answered":
      return null;
    default:
      return assertNever(event);
  }
}

function ended(event: AttemptEvent): AttemptStep | null {
  if (event.kind === "done") {
    return { next: { kind: "completing" }, effect: { kind: "complete", result: event.result } };
  }
  if (event.kind === "failed") {
    return { next: { kind: "failing" }, effect: { kind: "fail", error: event.error } };
  }
  return null;
}

function release(reason: string): AttemptStep {
  return { next: { kind: "releasing" }, effect: { kind: "release", reason } };
}
