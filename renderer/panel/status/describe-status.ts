import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { donateReasons, holdReasons } from "../../../app/policy/reasons.ts";
import { formatIn, formatMoment } from "../../ui/format/time.ts";
import { toneOfHold } from "../../ui/hold-tone.ts";
import type { Tone } from "../../ui/tone.ts";

export type StatusWords = {
  readonly tone: Tone;
  readonly title: string;
  readonly sentence: string;
  /** What ends this state, or when it is looked at again; null when only a change can. */
  readonly next: string | null;
};

type Shown = Pick<DonorSnapshot, "activity" | "pause" | "donateNowUntil" | "recheckAt">;

/** What the panel says about the donor at `now` (ms since the epoch), in the words that the tray uses too. */
export function describeStatus(snapshot: Shown, now: number): StatusWords {
  const { activity } = snapshot;
  const words = activity.kind === "donating" ? donateReasons[activity.reason] : holdReasons[activity.reason];
  return {
    tone: activity.kind === "donating" ? "good" : toneOfHold(activity.reason),
    title: words.short,
    sentence: words.sentence,
    next: nextWords(snapshot, now),
  };
}

function nextWords({ activity, pause, donateNowUntil, recheckAt }: Shown, now: number): string | null {
  if (activity.reason === "paused-by-you") {
    return pause === null || pause.until === null
      ? "Until you resume."
      : `Until ${formatMoment(pause.until, now)}.`;
  }
  if (activity.reason === "donate-now" && donateNowUntil !== null) {
    return `Until ${formatMoment(donateNowUntil, now)}.`;
  }
  if (recheckAt === null)
    return activity.kind === "donating" ? null : "Looked at again as soon as something changes.";
  return `Looked at again ${formatIn(recheckAt - now)}.`;
}
