import type { DeviceState } from "../../../app/statistics/metrics.ts";
import type { Tone } from "../../ui/tone.ts";

/** The states of a device, as lists and the timeline name them. */
export const stateWords: Readonly<Record<DeviceState, string>> = {
  donating: "Donating",
  standby: "Standby",
  paused: "Paused",
  outdated: "Update needed",
  offline: "Offline",
  pending: "Waits for approval",
  retired: "Retired",
};

export const stateTone: Readonly<Record<DeviceState, Tone>> = {
  donating: "good",
  standby: "rest",
  paused: "bad",
  outdated: "hold",
  offline: "quiet",
  pending: "hold",
  retired: "quiet",
};
