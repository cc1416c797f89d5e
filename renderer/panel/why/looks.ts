import { assertNever } from "../../../app/assert-never.ts";
import type { SpanState } from "../../../app/contract/span-words.ts";
import { isDonorReason, type StandbyReason, standbyReasons } from "../../../app/policy/reasons.ts";

/** How a span is drawn. Heights and patterns differ too, so that nobody depends on the colors. */
export type Look =
  "donating" | "in-use" | "rule" | "paused" | "service" | "asleep" | "not-running" | "not-recorded";

/** In the order of the legend. */
export const looks: readonly Look[] = [
  "donating",
  "in-use",
  "rule",
  "paused",
  "service",
  "asleep",
  "not-running",
  "not-recorded",
];

export const lookWords: Readonly<Record<Look, string>> = {
  donating: "Donating",
  "in-use": "You used the computer",
  rule: "A setting kept it back",
  paused: "Paused by you",
  service: "Offline or not in service",
  asleep: "Asleep",
  "not-running": "Gleaner did not run",
  "not-recorded": "No record",
};

export const lookClasses: Readonly<Record<Look, string>> = {
  donating: "h-full bg-accent",
  "in-use": "h-1/2 bg-edge",
  rule: "h-2/3 bg-[repeating-linear-gradient(45deg,var(--color-hold)_0_3px,var(--color-hold-tint)_3px_6px)]",
  paused: "h-2/3 bg-[repeating-linear-gradient(0deg,var(--color-rest)_0_2px,var(--color-rest-tint)_2px_4px)]",
  service: "h-2/3 bg-[repeating-linear-gradient(90deg,var(--color-bad)_0_2px,var(--color-bad-tint)_2px_4px)]",
  asleep: "h-1/6 bg-edge",
  "not-running": "h-1/2 border border-dashed border-edge",
  "not-recorded": "h-px bg-edge",
};

/** Reasons that somebody at the computer causes. */
const atTheComputer: ReadonlySet<string> = new Set<StandbyReason>([
  "in-use",
  "full-screen",
  "in-call",
  "media-playing",
]);

export function lookOf({ kind, reason }: SpanState): Look {
  switch (kind) {
    case "donating":
    case "asleep":
    case "not-running":
      return kind;
    case "unknown":
      return "not-recorded";
    case "standby":
      if (atTheComputer.has(reason)) return "in-use";
      if (reason === "paused-by-you") return "paused";
      // A reason of another version has no words of ours.
      return Object.hasOwn(standbyReasons, reason) && isDonorReason(reason as StandbyReason)
        ? "service"
        : "rule";
    default:
      return assertNever(kind);
  }
}
