import type { Activity } from "../../../app/policy/decision.ts";
import type { Rules } from "../../../app/policy/rules.ts";

/** Whether the next input may change what the donor does, so that it is worth watching for. */
export function yieldsToInput(
  activity: Activity,
  isDownloading: boolean,
  { requireIdle, inUse }: Pick<Rules, "requireIdle" | "inUse">,
): boolean {
  // A download that waits for an idle network gives it back at the first input, too.
  return workYields(activity) || (isDownloading && requireIdle && inUse.mode === "off");
}

/** Whether it lets go, or stands still, at the next input. Asked for by its person, it goes on under their hands. */
function workYields(activity: Activity): boolean {
  if (activity.kind === "holding" || activity.limits.stillSince !== null) return false;
  return ["idle", "within-limits", "finishing"].includes(activity.reason);
}
