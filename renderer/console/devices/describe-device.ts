import { wasTried } from "../../../app/devices/attention.ts";
import { unreliabilityWords } from "../../../app/devices/reliability.ts";
import { formatMoment } from "../../../app/format/time.ts";
import type { ReasonWords } from "../../../app/policy/declare/check.ts";
import { activityReasons } from "../../../app/policy/reasons.ts";
import { standbyTone } from "../../ui/status-words.ts";
import type { Tone } from "../../ui/tone.ts";
import type { DeviceRow } from "../data/rows.ts";

type DeviceWords = { readonly tone: Tone; readonly short: string; readonly sentence: string };

/** Describes what a device does and why, in the words that its donor reads. @param now ms since the epoch. */
export function describeDevice(
  device: Pick<
    DeviceRow,
    | "status"
    | "hasLeft"
    | "online"
    | "activity"
    | "pause"
    | "requestedPause"
    | "needsVersion"
    | "signs"
    | "version"
  >,
  now: number,
): DeviceWords {
  if (device.hasLeft) {
    return {
      tone: "quiet",
      short: "Left",
      sentence: "Its user took this device out of the organization. It can join again only as a new device.",
    };
  }
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
  if (device.status === "paused" && device.pause !== null) {
    const { at, ...found } = device.pause;
    return {
      tone: "bad",
      short: "Paused automatically",
      sentence: `Since ${formatMoment(at, now)}, because ${unreliabilityWords(found)}`,
    };
  }
  if (device.status === "paused" && device.requestedPause !== null) {
    return { tone: "hold", short: "Paused", sentence: pauseSentence(device.requestedPause, now) };
  }
  if (device.status === "outdated") {
    return {
      tone: "hold",
      short: "Update needed",
      sentence: outdatedSentence(device),
    };
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
  if (device.requestedPause !== null) {
    const { by } = device.requestedPause;
    const sentence = `${by} asked it to pause. It finishes its jobs first and takes no more.`;
    return { tone: "hold", short: "Finishing, then pausing", sentence };
  }
  const tone = activity.kind === "donating" ? "good" : standbyTone(activity.reason);
  return { tone, ...toOthers(activityReasons[activity.reason]) };
}

/** "Paused by Ada until tomorrow 08:00." */
function pauseSentence({ by, until }: NonNullable<DeviceRow["requestedPause"]>, now: number): string {
  return until === null
    ? `Paused by ${by} until somebody resumes it.`
    : `Paused by ${by} until ${formatMoment(until, now)}.`;
}

/** The version of an old program, what it lacks, and what to do. */
function outdatedSentence({
  version,
  needsVersion,
  signs,
}: Pick<DeviceRow, "version" | "needsVersion" | "signs">): string {
  const program = version === null ? "Its Gleaner" : `Its Gleaner ${version}`;
  if (!signs)
    return `${program} does not sign results, so it gets no jobs. Install the newest Gleaner on it.`;
  return `${program} is too old, so it gets no jobs. Update it to ${needsVersion ?? "the newest version"} or newer.`;
}

type Update = Pick<DeviceRow, "askedVersion" | "rolledBackVersion">;

/**
 * "0.4.0, asked for 0.5.0", or "0.4.0, 0.5.0 did not work". Empty for a device that has told no version and was asked for none.
 * @param update undefined while it loads.
 */
export function versionWords(version: string, update: Update | undefined): string {
  return [...(version === "" ? [] : [version]), ...(update === undefined ? [] : updateWords(update))].join(
    ", ",
  );
}

function updateWords({ askedVersion: asked, rolledBackVersion: rolledBack }: Update): readonly string[] {
  if (asked !== null && !wasTried(asked.version, rolledBack)) return [`asked for ${asked.version}`];
  return rolledBack === null ? [] : [`${rolledBack} did not work`];
}

/** "Version 0.5.0 did not work on this computer, so Gleaner went back to 0.4.0." Null: it did not go back. */
export function rolledBackSentence({
  version,
  rolledBackVersion,
}: Pick<DeviceRow, "version" | "rolledBackVersion">): string | null {
  return version === null || rolledBackVersion === null
    ? null
    : `Version ${rolledBackVersion} did not work on this computer, so Gleaner went back to ${version}.`;
}

/** A reason's words address the donor. An admin reads them in the third person. */
function toOthers({ short, sentence, toOthers }: ReasonWords): Pick<DeviceWords, "short" | "sentence"> {
  return toOthers ?? { short, sentence };
}
