import type { Activity } from "../../../app/policy/decision.ts";
import type { Rules } from "../../../app/policy/rules.ts";

/** Whether the next input may change the donor's activity. */
export function yieldsToInput(
  activity: Activity,
  isDownloading: boolean,
  { requireIdle, inUse }: Pick<Rules, "requireIdle" | "inUse">,
): boolean {
  // A download that needs an idle computer also stops at the first input.
  return workYields(activity) || (isDownloading && requireIdle && inUse.mode === "off");
}

/** Whether work stops or pauses at the next input. With "donate now" it continues. */
function workYields(activity: Activity): boolean {
  if (activity.kind === "standby" || activity.limits.stillSince !== null) return false;
  return ["idle", "within-limits", "finishing"].includes(activity.reason);
}
