import { donateReasons, holdReasons } from "../../../app/policy/reasons.ts";
import { toneOfHold } from "../../ui/hold-tone.ts";
import type { Tone } from "../../ui/tone.ts";
import type { DeviceRow } from "../data/rows.ts";

export type DeviceWords = { readonly tone: Tone; readonly short: string; readonly sentence: string };

/** What a device does and why, in the words that its own donor reads. */
export function describeDevice(device: Pick<DeviceRow, "status" | "online" | "activity">): DeviceWords {
  if (device.status === "retired") {
    return {
      tone: "quiet",
      short: "Retired",
      sentence: "An administrator retired this device. It gets no jobs.",
    };
  }
  if (!device.online) {
    return {
      tone: "quiet",
      short: "Offline",
      sentence: "This device is switched off, asleep or out of reach.",
    };
  }
  if (device.activity === null) return { tone: "quiet", ...holdReasons.starting };
  return device.activity.kind === "donating"
    ? { tone: "good", ...donateReasons[device.activity.reason] }
    : { tone: toneOfHold(device.activity.reason), ...personal(holdReasons[device.activity.reason]) };
}

/** The donor's words speak to the donor; in the console the same reason is about somebody else. */
function personal(words: { readonly short: string; readonly sentence: string }): {
  readonly short: string;
  readonly sentence: string;
} {
  const about = (text: string): string =>
    text
      .replace(/^You are using it$/, "In use")
      .replace(/^Paused by you$/, "Paused by its user")
      .replace(/^You paused/, "Its user paused")
      .replace(/^You are using this/, "Somebody is using this")
      .replace("until you have been away", "until they have been away")
      .replace("the level you allow", "the level its user allows");
  return { short: about(words.short), sentence: about(words.sentence) };
}
