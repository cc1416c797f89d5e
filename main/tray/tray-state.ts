import { needsYou } from "../../app/contract/needs-you.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { formatMoment } from "../../app/format/time.ts";
import { activityReasons, standbyReasons } from "../../app/policy/reasons.ts";

/** The variants of the tray icon. `donating`: ready for a job. `working`: a job runs. */
export type TrayState = "working" | "donating" | "standby" | "paused" | "needs-you" | "offline";

type Shown = Pick<DonorSnapshot, "work" | "pause" | "organization"> & Parameters<typeof needsYou>[0];

export function trayState(snapshot: Shown): TrayState {
  const { activity, work } = snapshot;
  if (activity.kind === "donating") return work === null ? "donating" : "working";
  if (needsYou(snapshot) !== null) return "needs-you";
  switch (activity.reason) {
    case "paused-by-you":
    case "paused-in-console":
    case "paused-by-server":
      return "paused";
    // Without a need, it waits for the server that it wants to join.
    case "not-enrolled":
    case "offline":
    case "retired":
      return "offline";
    default:
      return "standby";
  }
}

/** What Gleaner does or needs, in one sentence. It is the icon's tooltip. @param now in ms since the epoch */
export function traySentence(snapshot: Shown, now: number): string {
  const { activity, work, pause } = snapshot;
  const needed = needsYou(snapshot);
  if (needed !== null) return needed.sentence;
  switch (activity.reason) {
    case "paused-by-you":
      if (pause === null || pause.until === null) break;
      return `Gleaner is paused until ${formatMoment(pause.until, now)}.`;
    case "not-enrolled":
      return standbyReasons.offline.brief;
    case "finishing":
      break;
    default:
      if (work !== null) return "Gleaner is working on a job for your organization.";
  }
  return activityReasons[activity.reason].brief;
}
