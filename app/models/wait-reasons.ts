/** Why a model that a device is to have is not on its way now. */
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
  turn: "Waits for another model to come first",
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
  "source-refused": "The source does not give the file",
  "wrong-content": "What came is not the file of the catalog; stopped",
  "no-source": "Is to come with the program, and did not",
};
