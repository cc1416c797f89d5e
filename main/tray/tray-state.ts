import { assertNever } from "../../app/assert-never.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { activityReasons, isDonorReason, type StandbyReason } from "../../app/policy/reasons.ts";

/** The four variants of the tray icon. */
export type TrayState = "donating" | "standby" | "paused" | "offline";

export function trayState({ activity }: Pick<DonorSnapshot, "activity">): TrayState {
  return activity.kind === "donating" ? "donating" : standbyState(activity.reason);
}

/** The tooltip: the program's name and the short reason, in the panel's words. */
export function trayTooltip(snapshot: Pick<DonorSnapshot, "activity" | "work">): string {
  const { activity, work } = snapshot;
  const { short } = activityReasons[activity.reason];
  return `Gleaner: ${short}${work === null ? "" : ", working on a job"}`;
}

function standbyState(reason: StandbyReason): TrayState {
  if (!isDonorReason(reason)) return "standby";
  switch (reason) {
    case "paused-by-you":
    case "paused-in-console":
      return "paused";
    case "offline":
    case "wrong-server":
    case "not-enrolled":
    case "awaiting-approval":
    case "paused-by-server":
    case "outdated":
    case "other-key":
    case "retired":
      return "offline";
    case "starting":
      return "standby";
    default:
      return assertNever(reason);
  }
}
