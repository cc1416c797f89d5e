import { areOneSide, type Side } from "./sides.ts";
import type { Verdict } from "./verdict.ts";

/*
 * A case begins when a replay does not fit. Devices of other people replay the same answer until one side has two voices: the checker's,
 * or that of the device that answered.
 */

/** A device that replayed the answer, and its verdict. `ofTokens`: the text fits, but far fewer tokens than were reported. */
export type Voice = Side & { readonly verdict: Verdict; readonly ofTokens?: boolean };

export type TrustCase = {
  /** The device that answered. */
  readonly accused: Side;
  /** The first one began the case. */
  readonly voices: readonly Voice[];
};

/**
 * The end of a case, or that it goes on.
 * - `open`: another device has to replay the answer.
 * - `wrong`: the answer is not of this model, or its device reported far too many tokens.
 * - `right`: it is. `misjudged` are the devices that said otherwise.
 * - `undecided`: nobody could tell. Nothing is held against anybody. The answer is paid, unless its device is on probation.
 */
export type CaseState =
  | { readonly kind: "open" }
  | { readonly kind: "wrong"; readonly about: "text" | "tokens"; readonly misjudged: readonly string[] }
  | { readonly kind: "right"; readonly misjudged: readonly string[] }
  | { readonly kind: "undecided" };

/** More devices are not asked. */
const mostVoices = 4;
/** Of two devices one accuses. The third one makes two voices for one side: the accused device counts as one for itself. */
const voicesThatDecide = 2;

/** A case about an answer that did not fit. */
export function openCase(accused: Side, first: Voice): TrustCase {
  return { accused, voices: [first] };
}

/** Whether a device may replay an answer of another device after some that did. Each owner has one voice. */
export function mayReplay(checker: Side, accused: Side, heard: readonly Side[]): boolean {
  return ![accused, ...heard].some((each) => areOneSide(each, checker));
}

/** The case with one more replay. Each device and each owner has one voice, and the accused one none. */
export function withVoice(open: TrustCase, voice: Voice): TrustCase {
  return mayReplay(voice, open.accused, open.voices) ? { ...open, voices: [...open.voices, voice] } : open;
}

/** @param othersLeft whether another device could replay the answer. */
export function stateOf({ voices }: TrustCase, othersLeft: boolean): CaseState {
  const against = voices.filter(({ verdict }) => verdict === "mismatch");
  const for_ = voices.filter(({ verdict }) => verdict === "fits");
  // A voice about the text and one about the tokens found different things.
  const ofTokens = against.filter((voice) => voice.ofTokens === true);
  const about = ofTokens.length >= voicesThatDecide ? "tokens" : "text";
  if (about === "tokens" || against.length - ofTokens.length >= voicesThatDecide)
    return { kind: "wrong", about, misjudged: for_.map(({ device }) => device) };
  if (for_.length + 1 >= voicesThatDecide && for_.length >= against.length) {
    return { kind: "right", misjudged: against.map(({ device }) => device) };
  }
  return othersLeft && voices.length < mostVoices ? { kind: "open" } : { kind: "undecided" };
}

/** The pay of an answer: given, held until something is decided, or never given. */
export type Pay = "paid" | "held" | "refused";
