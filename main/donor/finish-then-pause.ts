import { errorName, type Log } from "../log.ts";
import type { SettingsStore } from "./settings.ts";

/**
 * Completes "finish, then pause" when no job runs anymore. Returns whether it paused; the loop then has to
 * decide again.
 */
export function pauseIfRequested(settings: SettingsStore, log: Log): boolean {
  if (!settings.current().finishThenPause) return false;
  const paused = { finishThenPause: false, donateNowUntil: null, pause: { until: null } };
  settings
    .change(paused)
    .catch((error: unknown) => log("error", "settings.not-saved", { error: errorName(error) }));
  return true;
}
