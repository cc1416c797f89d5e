import type { Known } from "../../facts/facts.ts";
import { type Check, hold } from "../declare/check.ts";

/**
 * Signs of somebody who watches or talks without touching anything. Where one is unknown it holds nothing:
 * it only adds to idleness, which is asked for in any case.
 */
export const fullScreen: Check<"fullScreen", "holdOnFullScreen", "full-screen"> = ({ facts, rules }) =>
  rules.holdOnFullScreen && isTrue(facts.fullScreen) ? hold("full-screen") : null;

export const call: Check<"cameraInUse" | "microphoneInUse", "holdOnCall", "in-call"> = ({ facts, rules }) =>
  rules.holdOnCall && (isTrue(facts.cameraInUse) || isTrue(facts.microphoneInUse)) ? hold("in-call") : null;

export const media: Check<"mediaPlaying", "holdOnMedia", "media-playing"> = ({ facts, rules }) =>
  rules.holdOnMedia && isTrue(facts.mediaPlaying) ? hold("media-playing") : null;

function isTrue(fact: Known<boolean>): boolean {
  return fact.known && fact.value;
}
