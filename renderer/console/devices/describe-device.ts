import type { ReasonWords } from "../../../app/policy/declare/check.ts";
import { activityReasons } from "../../../app/policy/reasons.ts";
import { standbyTone } from "../../ui/status-words.ts";
import type { Tone } from "../../ui/tone.ts";
import type { DeviceRow } from "../data/rows.ts";

type DeviceWords = { readonly tone: Tone; readonly short: string; readonly sentence: string };

/** Describes what a device does and why, in the words that its donor reads. */
export function describeDevice(device: Pick<DeviceRow, "status" | "online" | "activity">): DeviceWords {
  if (device.status === "retired") {
    return {
      tone: "quiet",
      short: "Retired",
      sentence: "An administrator retired this device. It gets no jobs.",
    };
  }
  if (device.status === "pending") {
    const { short, toOthers } = activityReasons["awaiting-approval"];
    return { tone: "hold", short, sentence: toOthers?.sentence ?? "" };
  }
  if (!device.online) {
    return {
      tone: "quiet",
      short: "Offline",
      sentence: "This device is turned off, asleep or not connected.",
    };
  }
  const { activity } = device;
  if (activity === null) return { tone: "quiet", ...toOthers(activityReasons.starting) };
  const tone = activity.kind === "donating" ? "good" : standbyTone(activity.reason);
  return { tone, ...toOthers(activityReasons[activity.reason]) };
}

/** A reason's words address the donor. An admin reads them in the third person. */
function toOthers({ short, sentence, toOthers }: ReasonWords): Pick<DeviceWords, "short" | "sentence"> {
  return toOthers ?? { short, sentence };
}
