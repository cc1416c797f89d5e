import { doubling } from "@gleaner/queue/worker";
import type { Donor } from "../donor/donor.ts";
import type { Log } from "../log.ts";

const pauseAfter = doubling(2_000, 5 * 60_000);

/**
 * Enrolls with a code once the backend is reachable, unless the device is already enrolled. The log reports a
 * refused code, and the panel still accepts another.
 */
export function enrollOnce(donor: Pick<Donor, "handlers" | "snapshot">, code: string, log: Log): void {
  let asking = false;
  let refusals = 0;
  const unsubscribe = donor.snapshot.onDelta(() => void ask());
  async function ask(): Promise<void> {
    const { connection, device, activity } = donor.snapshot.get();
    if (asking || connection !== "online") return;
    // A device whose key the backend has forgotten is enrolled again.
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
    refusals += 1;
    setTimeout(() => {
      asking = false;
    }, pauseAfter(refusals)).unref();
  }
  void ask();
}
