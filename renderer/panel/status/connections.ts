import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import type { StatusWords } from "../../ui/status-words.ts";

/** The donor's connection to its organization. */
export const connections: Readonly<Record<DonorSnapshot["connection"], StatusWords>> = {
  online: { tone: "good", words: "Connected" },
  connecting: { tone: "hold", words: "Connecting" },
  offline: { tone: "quiet", words: "Offline" },
};
