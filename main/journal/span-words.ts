import type { ReasonWords } from "../../app/policy/declare/check.ts";
import { donateReasons, standbyReasons } from "../../app/policy/reasons.ts";
import type { SpanState } from "./spans.ts";

const others: Readonly<Record<string, ReasonWords>> = {
  suspended: { short: "Asleep", sentence: "The computer was suspended." },
  silent: { short: "Asleep", sentence: "Gleaner could not run for a while: the computer most likely slept." },
  stopped: { short: "Not running", sentence: "Gleaner was not running: it had been stopped." },
  "cut-off": {
    short: "Not running",
    sentence: "Gleaner was not running: it had ended without warning, by a crash or a power cut.",
  },
  "not-recorded": {
    short: "Not known",
    sentence: "No record of this time: Gleaner did not run yet, or the journal does not go back that far.",
  },
};

/** The policy's words for a state. An unknown reason of another version is shown as it is. */
export function wordsOf({ kind, reason }: SpanState): ReasonWords {
  const words: Readonly<Record<string, ReasonWords>> =
    kind === "donating" ? donateReasons : kind === "standby" ? standbyReasons : others;
  return Object.hasOwn(words, reason) && words[reason] !== undefined
    ? words[reason]
    : { short: reason, sentence: reason };
}
