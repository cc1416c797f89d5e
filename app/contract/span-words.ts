import type { ReasonWords } from "../policy/declare/check.ts";
import { reasonWords } from "../policy/reasons.ts";
import type { Explanation } from "./explanation.ts";

/** The donor's activity, or the reason why it is unknown. The reasons that are none of the policy's have words here. */
export type SpanState = Readonly<Pick<Explanation["spans"][number], "kind" | "reason">>;

const others = new Map<string, ReasonWords>([
  ["suspended", { short: "Asleep", sentence: "The computer was suspended." }],
  [
    "silent",
    { short: "Asleep", sentence: "Gleaner could not run for a while: the computer most likely slept." },
  ],
  ["stopped", { short: "Not running", sentence: "Gleaner was not running: it had been stopped." }],
  [
    "cut-off",
    {
      short: "Not running",
      sentence: "Gleaner was not running: it had ended without warning, by a crash or a power cut.",
    },
  ],
  [
    "not-recorded",
    {
      short: "Not known",
      sentence: "No record of this time: Gleaner did not run yet, or the journal does not go back that far.",
    },
  ],
]);

/** The words for a state: the policy's if it has some. An unknown reason of another version is shown as it is. */
export function wordsOf({ kind, reason }: SpanState): ReasonWords {
  const known = kind === "donating" || kind === "standby" ? reasonWords(reason) : others.get(reason);
  return known ?? { short: reason, sentence: reason };
}
