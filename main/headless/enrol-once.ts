import type { Donor } from "../donor/donor.ts";
import type { Log } from "../log.ts";

/** After a refusal: asked again after 2 seconds, then twice as late each time, up to 5 minutes. */
const firstPauseMs = 2_000;
const longestPauseMs = 5 * 60_000;

/**
 * Enrols with a code as soon as the backend is reached, unless the device is enrolled by then. A code that is
 * refused is reported in the log, and the panel still takes another.
 */
export function enrolOnce(donor: Pick<Donor, "handlers" | "snapshot">, code: string, log: Log): void {
  let asking = false;
  let pauseMs = firstPauseMs;
  const unsubscribe = donor.snapshot.onDelta(() => void ask());
  async function ask(): Promise<void> {
    const { connection, device, activity } = donor.snapshot.get();
    if (asking || connection !== "online") return;
    // A known device whose key the backend has forgotten is enrolled afresh.
    if (device !== null && activity.reason !== "not-enrolled") {
      unsubscribe();
      return;
    }
    asking = true;
    const reply = await donor.handlers.enroll({ code });
    if (reply.kind === "ok") {
      unsubscribe();
      log("info", "headless.enrolled");
      return;
    }
    log("error", "headless.not-enrolled", { why: reply.message });
    setTimeout(() => {
      asking = false;
    }, pauseMs).unref();
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }
  void ask();
}
