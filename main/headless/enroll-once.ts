import { doubling } from "@gleaner/queue/worker";
import type { Donor } from "../donor/donor.ts";
import type { Log } from "../log.ts";

const pauseAfter = doubling(2_000, 5 * 60_000);

/**
 * Enrolls with a code once the backend is reachable, unless the device is already enrolled. Tries again after a failure
 * that may pass. After a refusal for good the donor's `problem` has the words, and the panel accepts another code.
 */
export function enrollOnce(donor: Pick<Donor, "handlers" | "snapshot">, code: string, log: Log): void {
  let asking = false;
  let failures = 0;
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
    if (donor.snapshot.get().problem?.kind === "code-refused") {
      unsubscribe();
      return;
    }
    failures += 1;
    setTimeout(() => {
      asking = false;
      void ask();
    }, pauseAfter(failures)).unref();
  }
  void ask();
}
