import { plural } from "../../../app/format/quantity.ts";
import { type Counted, countedSum, countedWords } from "../../../app/statistics/counted.ts";
import type { StatusWords } from "../../ui/status-words.ts";
import type { LaneRow } from "./rows.ts";

export type LaneState = LaneRow["state"];

export const laneStateWords: Readonly<Record<LaneState, StatusWords & { readonly done: string }>> = {
  open: { tone: "good", words: "Open", done: "The lane is open." },
  paused: { tone: "hold", words: "Paused", done: "The lane is paused. Its jobs wait." },
  draining: {
    tone: "hold",
    words: "Draining",
    done: "The lane is draining. It takes no new jobs.",
  },
};

/** What pausing or draining the lane will change, in sentences. */
export function laneChange(
  { ready, waiting, running }: Pick<LaneRow, "ready" | "waiting" | "running">,
  state: "paused" | "draining",
): readonly string[] {
  const queued = countedSum(ready, waiting);
  return state === "paused"
    ? [
        `${jobs(queued)} in the queue will not start.`,
        `${jobs(running)} on devices will finish.`,
        "New requests are accepted, and wait until somebody resumes the lane.",
      ]
    : [
        `${jobs(queued)} in the queue and ${jobs(running)} on devices will finish.`,
        "New requests are refused until somebody reopens the lane.",
      ];
}

function jobs(counted: Counted): string {
  return counted.exact ? plural(counted.count, ["# job", "# jobs"]) : `${countedWords(counted)} jobs`;
}
