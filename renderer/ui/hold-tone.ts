import { assertNever } from "../../app/assert-never.ts";
import type { HoldReason } from "../../app/policy/reasons.ts";
import type { Tone } from "./tone.ts";

/** One tone per reason, the same in the panel and the console. */
export function toneOfHold(reason: HoldReason): Tone {
  switch (reason) {
    case "paused-by-you":
      return "rest";
    case "offline":
      return "bad";
    case "starting":
    case "not-enrolled":
    case "retired":
      return "quiet";
    case "in-use":
    case "idle-unknown":
    case "on-battery":
    case "battery-low":
    case "power-unknown":
    case "suspended":
    case "outside-schedule":
    case "other-network":
    case "network-unknown":
    case "metered":
    case "lid-closed":
    case "too-hot":
    case "excluded-program":
    case "programs-unknown":
    case "memory-low":
    case "full-screen":
    case "in-call":
    case "media-playing":
    case "disk-full":
    case "other-load":
    case "no-model":
      return "hold";
    default:
      return assertNever(reason);
  }
}
