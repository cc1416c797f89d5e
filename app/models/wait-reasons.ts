/** Why a device does not download a model that it should have. */
export type WaitReason =
  | "turn"
  | "not-a-member"
  | "paused"
  | "offline"
  | "metered"
  | "other-network"
  | "on-battery"
  | "in-use"
  | "day-budget"
  | "over-quota"
  | "disk-full"
  | "disk-error"
  | "removed"
  | "unreachable"
  | "source-refused"
  | "wrong-content"
  | "no-source";

/** The same words in tray, panel, console and on the command line. */
export const waitWords: Readonly<Record<WaitReason, string>> = {
  turn: "Waits until another model is downloaded",
  "not-a-member": "Waits until this device may work for its organization",
  paused: "Waits until the pause is over",
  offline: "Waits for a connection",
  metered: "Waits for a network that is not metered",
  "other-network": "Waits for a network that the rules allow",
  "on-battery": "Waits for mains power",
  "in-use": "Waits until nobody uses this computer",
  "day-budget": "Waits until tomorrow: today's download limit is reached",
  "over-quota": "The models do not fit into the disk space that the rules allow",
  "disk-full": "Too little disk space is free",
  "disk-error": "The file cannot be written to the disk",
  removed: "You removed it from this computer",
  unreachable: "The source cannot be reached; Gleaner keeps trying",
  "source-refused": "The source refused the download",
  "wrong-content": "The downloaded file is not the one in the catalog",
  "no-source": "The file that comes with Gleaner is missing",
};
