/** The reason why a wanted model is not being downloaded now. */
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
  turn: "Waits for the download of another model",
  "not-a-member": "Waits for this device to be in service",
  paused: "Waits until the pause is over",
  offline: "Waits for a connection",
  metered: "Waits for a network that is not metered",
  "other-network": "Waits for a network that the rules allow",
  "on-battery": "Waits for mains power",
  "in-use": "Waits until nobody uses this computer",
  "day-budget": "Waits for tomorrow: today's share of the network is used up",
  "over-quota": "The models do not fit into the disk space that the rules allow",
  "disk-full": "Too little of the disk is free",
  "disk-error": "The disk cannot be written",
  removed: "You removed it from this computer",
  unreachable: "The source cannot be reached; tries again",
  "source-refused": "The source refuses the file",
  "wrong-content": "The source has another file than the catalog; stopped",
  "no-source": "Should have come with the program, but did not",
};
