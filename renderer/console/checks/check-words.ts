import { formatCount, formatThousandths, plural } from "../../../app/format/quantity.ts";
import type { CheckMode } from "../../../app/trust/check-mode.ts";
import { mostSides } from "../../../app/trust/sides.ts";
import type { Tone } from "../../ui/tone.ts";
import type { CanaryPool, CanaryRow, CaseRow, CheckRow } from "../data/rows.ts";

/** The effect of each choice. */
export function modeSentence(mode: CheckMode): string {
  switch (mode) {
    case "off":
      return "No answer is checked.";
    case "watch":
      return "Answers are checked, and you see the results here. Nothing is taken from anybody.";
    case "act":
      return "The pay of a device that is new to a model waits until its answers are checked. A wrong answer is not paid, its requester gets the price back, and its device is paused.";
  }
}

/** What too few devices of different people mean for checks; null if there are enough, or none are made. */
export function sidesSentence(mode: CheckMode, sides: number): string | null {
  if (mode === "off" || sides === 0 || sides >= mostSides) return null;
  return sides === 1
    ? "No answer can be checked yet: that takes two devices that do not belong to the same person or team. If you act on checks, the pay of new devices waits until then, or until an administrator releases it on the device’s page."
    : "A doubt cannot be decided yet: that takes three devices, no two of the same person or team. Until then nothing is held against anybody. If you act on checks, the pay of a new device waits until five other answers of it fit.";
}

type Words = { readonly tone: Tone; readonly words: string };

/** How a case stands. */
export function caseWords({ state, voices }: Pick<CaseRow, "state" | "voices">): Words {
  switch (state) {
    case "open":
      return { tone: "hold", words: "Another device is asked" };
    case "wrong":
      return {
        tone: "bad",
        words:
          voices.filter(({ overclaim }) => overclaim !== null).length > 1
            ? "Too many tokens reported"
            : "Not of this model",
      };
    case "right":
      return { tone: "good", words: "The answer is right" };
    case "undecided":
      return { tone: "quiet", words: "Nobody could tell" };
  }
}

type Voice = NonNullable<CheckRow["voice"]>;

/** A device's verdict on an answer. */
export function voiceWords({ verdict, overclaim }: Pick<Voice, "verdict" | "overclaim">): Words {
  if (overclaim !== null) return { tone: "bad", words: "Too many tokens" };
  switch (verdict) {
    case "fits":
      return { tone: "good", words: "Fits" };
    case "unclear":
      return { tone: "hold", words: "Odd" };
    case "mismatch":
      return { tone: "bad", words: "Does not fit" };
  }
}

/** The result of a check, or that it has none. */
export function checkWords({ state, voice }: Pick<CheckRow, "state" | "voice">): Words {
  if (voice !== null) return voiceWords(voice);
  return state === "waiting" ? { tone: "quiet", words: "Waits" } : { tone: "quiet", words: "Not done" };
}

/** The result of a canary, or that it has none yet. */
export function canaryWords(state: CanaryRow["state"]): Words {
  switch (state) {
    case "asked":
      return { tone: "quiet", words: "Waits" };
    case "replayed":
      return { tone: "quiet", words: "Is checked" };
    case "undone":
      return { tone: "quiet", words: "Not done" };
    case "fits":
    case "unclear":
    case "mismatch":
      return voiceWords({ verdict: state, overclaim: null });
  }
}

/** "12 canaries: 8 fit, 1 is odd, 1 does not fit, 2 have no result." */
export function canarySentence(counts: CanaryPool["counts"]): string {
  const of = (...states: readonly CanaryRow["state"][]): number =>
    counts.reduce((sum, { state, count }) => sum + (states.includes(state) ? count : 0), 0);
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return "No canary has run in the last 90 days.";
  const parts = [
    plural(of("fits"), ["# fits", "# fit"]),
    plural(of("unclear"), ["# is odd", "# are odd"]),
    plural(of("mismatch"), ["# does not fit", "# do not fit"]),
    plural(of("asked", "replayed", "undone"), ["# has no result", "# have no result"]),
  ];
  return `${plural(all, ["# canary", "# canaries"])}: ${parts.join(", ")}.`;
}

/** "12 tokens, 10 that do not fit, 6 impossible ones. On average 0.667 off; up to 0.050 is allowed." */
export function evidenceOf({ tokens, misses, impossible, meanRegret, limit, overclaim }: Voice): string {
  if (overclaim !== null) return tokenEvidenceOf(overclaim);
  const counted = [
    plural(tokens, ["# token", "# tokens"]),
    plural(misses, ["# that does not fit", "# that do not fit"]),
    ...(impossible === 0 ? [] : [plural(impossible, ["# impossible one", "# impossible ones"])]),
  ].join(", ");
  return `${counted}. On average ${formatThousandths(meanRegret)} off; up to ${formatThousandths(limit)} is allowed.`;
}

/** "Reported 10 tokens of the prompt and 500 of the answer; counted 10 and 12." */
function tokenEvidenceOf({ claimed, counted }: NonNullable<Voice["overclaim"]>): string {
  const [ofPrompt, ofAnswer] = [formatCount(claimed.promptTokens), formatCount(claimed.completionTokens)];
  const [prompt, answer] = [formatCount(counted.promptTokens), formatCount(counted.completionTokens)];
  return `Reported ${ofPrompt} tokens of the prompt and ${ofAnswer} of the answer; counted ${prompt} and ${answer}.`;
}
