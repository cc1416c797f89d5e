import { assertNever } from "../../app/assert-never.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import {
  donateReasons,
  isDonorReason,
  type StandbyReason,
  standbyReasons,
} from "../../app/policy/reasons.ts";

/** The four variants of the tray icon. */
export type TrayState = "donating" | "standby" | "paused" | "offline";

export function trayState({ activity }: Pick<DonorSnapshot, "activity">): TrayState {
  return activity.kind === "donating" ? "donating" : standbyState(activity.reason);
}

/** The tooltip: the program's name and the short reason, in the panel's words. */
export function trayTooltip(snapshot: Pick<DonorSnapshot, "activity" | "work">): string {
  const { activity, work } = snapshot;
  const words =
    activity.kind === "donating" ? donateReasons[activity.reason] : standbyReasons[activity.reason];
  return `Gleaner: ${words.short}${work === null ? "" : ", working on a job"}`;
}

function standbyState(reason: StandbyReason): TrayState {
  if (!isDonorReason(reason)) return "standby";
  switch (reason) {
    case "paused-by-you":
      return "paused";
    case "offline":
    case "not-enrolled":
    case "retired":
      return "offline";
    case "starting":
      return "standby";
    default:
      return assertNever(reason);
  }
}
