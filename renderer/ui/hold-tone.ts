import { assertNever } from "../../app/assert-never.ts";
import { isDonorReason, type StandbyReason } from "../../app/policy/reasons.ts";
import type { Tone } from "./tone.ts";

/** The tone of each reason. The panel and the console share it. */
export function toneOfHold(reason: StandbyReason): Tone {
  if (!isDonorReason(reason)) return "hold";
  switch (reason) {
    case "paused-by-you":
      return "rest";
    case "offline":
      return "bad";
    case "starting":
    case "not-enrolled":
    case "retired":
      return "quiet";
    default:
      return assertNever(reason);
  }
}
