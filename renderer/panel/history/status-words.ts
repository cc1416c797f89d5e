import type { HistoryRow } from "../../../app/contract/snapshot.ts";
import type { Tone } from "../../ui/tone.ts";

/** Words for the end of an attempt, for its donor. A release or a loss is not the donor's fault. */
export const statusWords: Readonly<
  Record<HistoryRow["status"], { readonly tone: Tone; readonly words: string }>
> = {
  prefetched: { tone: "hold", words: "Next in line" },
  running: { tone: "good", words: "Running" },
  succeeded: { tone: "good", words: "Done" },
  failed: { tone: "bad", words: "Failed" },
  released: { tone: "hold", words: "Given back" },
  stolen: { tone: "quiet", words: "Taken by another" },
  lost: { tone: "quiet", words: "Connection lost" },
  canceled: { tone: "quiet", words: "Canceled" },
  expired: { tone: "quiet", words: "Too late" },
};
