import type { Value } from "convex/values";
import { assertNever } from "../../shared/assert-never.ts";
import type { AttemptError } from "../contract/protocol.ts";

/**
 * The state of an attempt that this worker holds.
 *
 *   waiting ──begin──▶ running ──done──▶ completing ─┐
 *      │                  │ ────failed─▶ failing ────┤ answered
 *      │                  │                          ├─────────▶ ended
 *      │                  ├──yield──▶ stopping ──stopped──▶ releasing ─┘
 *      │                  └──gone───▶ dropping ──stopped/done/failed──▶ ended
 *      ├──yield──▶ releasing
 *      └──gone───▶ ended
 *
 * A `waiting` attempt was prefetched or handed over. `stopping` and `dropping` wait for the handler to let go. A result
 * that comes while stopping is still a result. `gone` means that the worker no longer holds the attempt: it was canceled,
 * stolen, or fenced.
 */
export type AttemptState =
  | { readonly kind: "waiting" }
  | { readonly kind: "running" }
  | { readonly kind: "stopping"; readonly reason: string }
  | { readonly kind: "dropping" }
  | { readonly kind: "completing" }
  | { readonly kind: "failing" }
  | { readonly kind: "releasing" }
  | { readonly kind: "ended" };

export type AttemptEvent =
  | { readonly kind: "begin" }
  | { readonly kind: "done"; readonly result: Value }
  | { readonly kind: "failed"; readonly error: AttemptError }
  /** The handler let go without a result. */
  | { readonly kind: "stopped" }
  | { readonly kind: "yield"; readonly reason: string }
  | { readonly kind: "gone" }
  /** The queue answered the call that ends it, or the call failed for good. */
  | { readonly kind: "answered" };

export type AttemptEffect =
  | { readonly kind: "run" }
  | { readonly kind: "abort" }
  | { readonly kind: "complete"; readonly result: Value }
  | { readonly kind: "fail"; readonly error: AttemptError }
  | { readonly kind: "release"; readonly reason: string };

export type AttemptTransition = { readonly next: AttemptState; readonly effect: AttemptEffect | null };

export function transition(state: AttemptState, event: AttemptEvent): AttemptTransition {
  const stay: AttemptTransition = { next: state, effect: null };
  switch (state.kind) {
    case "waiting":
      return fromWaiting(event) ?? stay;
    case "running":
      return fromRunning(event) ?? stay;
    case "stopping":
      if (event.kind === "gone") return to("dropping");
      if (event.kind === "stopped") return release(state.reason);
      return settled(event) ?? stay;
    case "dropping":
      return event.kind === "stopped" || event.kind === "done" || event.kind === "failed"
        ? to("ended")
        : stay;
    case "completing":
    case "failing":
    case "releasing":
      return event.kind === "answered" ? to("ended") : stay;
    case "ended":
      return stay;
    default:
      return assertNever(state);
  }
}

/** Whether its handler runs or has yet to run. */
export function takesRoom({ kind }: AttemptState): boolean {
  return kind === "waiting" || isUnderWay({ kind });
}

/** Whether its handler runs. */
export function isUnderWay({ kind }: Pick<AttemptState, "kind">): boolean {
  return kind === "running" || kind === "stopping" || kind === "dropping";
}

function fromWaiting(event: AttemptEvent): AttemptTransition | null {
  if (event.kind === "begin") return { next: { kind: "running" }, effect: { kind: "run" } };
  if (event.kind === "yield") return release(event.reason);
  return event.kind === "gone" ? to("ended") : null;
}

function fromRunning(event: AttemptEvent): AttemptTransition | null {
  switch (event.kind) {
    case "yield":
      return { next: { kind: "stopping", reason: event.reason }, effect: { kind: "abort" } };
    case "gone":
      return { next: { kind: "dropping" }, effect: { kind: "abort" } };
    case "stopped":
      // The handler let go by itself. Another worker may try, and no retry is used.
      return release("stopped");
    case "done":
    case "failed":
      return settled(event);
    case "begin":
    case "answered":
      return null;
    default:
      return assertNever(event);
  }
}

function settled(event: AttemptEvent): AttemptTransition | null {
  if (event.kind === "done") {
    return { next: { kind: "completing" }, effect: { kind: "complete", result: event.result } };
  }
  if (event.kind === "failed") {
    return { next: { kind: "failing" }, effect: { kind: "fail", error: event.error } };
  }
  return null;
}

function release(reason: string): AttemptTransition {
  return { next: { kind: "releasing" }, effect: { kind: "release", reason } };
}

function to(kind: "dropping" | "ended"): AttemptTransition {
  return { next: { kind }, effect: null };
}
