import type { ModelState } from "../states.ts";
import type { WaitReason } from "../wait-reasons.ts";
import type { Stage } from "./stages.ts";

export const rolloutStates = ["planning", "running", "paused", "stopped", "rolled-back", "done"] as const;
export type RolloutState = (typeof rolloutStates)[number];

/** A device in a roll-out. "none": it has not told of the model. */
export const rolloutDeviceStates = ["none", "waiting", "downloading", "ready", "failed"] as const;
export type RolloutDeviceState = (typeof rolloutDeviceStates)[number];

/** Job failures on a device from which on the model counts as failed there. */
export const failuresUntilFailed = 3;

/** Why a wait for the model is a failure: it needs a person, or another source. */
const failures: ReadonlySet<string> = new Set<WaitReason>([
  "wrong-content",
  "unreachable",
  "source-refused",
  "disk-full",
  "disk-error",
  "over-quota",
  "no-source",
]);

type Report = {
  readonly state: ModelState;
  readonly why?: string | undefined;
  readonly downloadedBytes?: number | undefined;
};

/** The state of a model on a device for its roll-out, with the reason of a failure. */
export function deviceStateOf(
  report: Report | undefined,
  failedJobs: number,
): { readonly state: RolloutDeviceState; readonly why?: string } {
  if (report === undefined) return { state: "none" };
  const { state, why } = report;
  if (state === "corrupt") return { state: "failed", why: "corrupt" };
  if (why !== undefined && failures.has(why)) return { state: "failed", why };
  if (state === "ready") {
    return failedJobs >= failuresUntilFailed ? { state: "failed", why: "jobs" } : { state };
  }
  return { state: state === "downloading" || state === "verifying" ? "downloading" : "waiting" };
}

/** Whether the device has the model's file, or a part of it. */
export function hasBegun(report: Report | undefined): boolean {
  if (report === undefined) return false;
  return (
    ["downloading", "verifying", "ready", "corrupt"].includes(report.state) ||
    (report.downloadedBytes ?? 0) > 0
  );
}

type Rollout = {
  readonly state: RolloutState;
  readonly stages: readonly Pick<Stage, "upTo">[];
  readonly stage: number;
  /** Whether devices had no model to keep when it began. */
  readonly isNew: boolean;
};

/** `begun`: it has begun to download the model. `had`: it had begun before the roll-out. */
export type DeviceMark = { readonly begun: boolean; readonly had: boolean };

/** Whether a device may not have the model now. Pure, and the same for each call: no list of devices is stored. */
export function isHeldBack(
  { state, stages, stage, isNew }: Rollout,
  rank: number,
  { begun, had }: DeviceMark,
): boolean {
  switch (state) {
    case "planning":
      return isNew && !had;
    case "running":
    case "paused":
      return rank > (stages[stage]?.upTo ?? 1) && !begun;
    case "stopped":
      return !begun;
    case "rolled-back":
      return !had;
    case "done":
      return false;
  }
}
