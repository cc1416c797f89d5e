import { assertNever } from "../../app/assert-never.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { donateReasons, holdReasons, type HoldReason } from "../../app/policy/reasons.ts";

/** The four faces of the tray icon. */
export type TrayState = "donating" | "holding" | "paused" | "offline";

export function trayState({ activity }: Pick<DonorSnapshot, "activity">): TrayState {
  return activity.kind === "donating" ? "donating" : stateOfHold(activity.reason);
}

/** The tooltip: the program's name and the short reason, in the words of the panel. */
export function trayTooltip(snapshot: Pick<DonorSnapshot, "activity" | "work">): string {
  const { activity, work } = snapshot;
  const words = activity.kind === "donating" ? donateReasons[activity.reason] : holdReasons[activity.reason];
  return `Gleaner: ${words.short}${work === null ? "" : ", working on a job"}`;
}

function stateOfHold(reason: HoldReason): TrayState {
  switch (reason) {
    case "paused-by-you":
      return "paused";
    case "offline":
    case "not-enrolled":
    case "retired":
      return "offline";
    case "starting":
    case "in-use":
    case "idle-unknown":
    case "on-battery":
    case "battery-low":
    case "power-unknown":
    case "suspended":
    case "outside-schedule":
    case "other-network":
    case "network-unknown":
    case "metered":
    case "lid-closed":
    case "too-hot":
    case "excluded-program":
    case "programs-unknown":
    case "memory-low":
    case "full-screen":
    case "in-call":
    case "media-playing":
    case "disk-full":
    case "other-load":
    case "no-model":
      return "holding";
    default:
      return assertNever(reason);
  }
}
