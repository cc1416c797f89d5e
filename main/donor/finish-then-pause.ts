import { errorName, type Log } from "../log.ts";
import type { SettingsStore } from "./settings.ts";

/**
 * Of "finish, then pause": to be called when nothing runs any more. Pauses where that was asked for, and returns whether it
 * did: then the donor has to look again.
 */
export function pauseIfAsked(settings: SettingsStore, log: Log): boolean {
  if (!settings.current().finishThenPause) return false;
  const paused = { finishThenPause: false, donateNowUntil: null, pause: { until: null } };
  settings
    .change(paused)
    .catch((error: unknown) => log("error", "settings.not-saved", { error: errorName(error) }));
  return true;
}
