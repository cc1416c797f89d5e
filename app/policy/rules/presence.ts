import { isTrue } from "../../facts/facts.ts";
import { check, type Context, veto } from "../declare/check.ts";
import { type ValuesOf, yesOrNo } from "../declare/rule.ts";

/**
 * Signs that somebody watches or talks without touching the computer.
 * An unknown sign vetoes nothing: it only adds to idleness, which is required anyway.
 */
export const presenceRules = {
  holdOnFullScreen: yesOrNo({
    section: "others",
    title: "Stops for full screen",
    hint: "While a presentation, a film or a game fills the screen.",
    default: true,
  }),
  holdOnCall: yesOrNo({
    section: "others",
    title: "Stops for calls",
    hint: "While the camera or the microphone is in use.",
    default: true,
  }),
  holdOnMedia: yesOrNo({
    section: "others",
    title: "Stops for music and films",
    hint: "While sound or video is playing.",
    default: true,
  }),
};

type PresenceRules = ValuesOf<typeof presenceRules>;

export const fullScreen = check({
  reasons: {
    "full-screen": {
      short: "Full screen",
      brief: "Gleaner waits until no program fills the screen.",
      sentence: "A program fills the screen. Gleaner waits until it no longer does.",
      cooldownSeconds: 10,
      facts: ["fullScreen"],
    },
  },
  needs: ({ holdOnFullScreen }: PresenceRules) => (holdOnFullScreen ? ["fullScreen"] : []),
  donateNowOverrides: ["holdOnFullScreen"],
  veto: ({ facts, rules }: Context<"fullScreen", PresenceRules>) =>
    rules.holdOnFullScreen && isTrue(facts.fullScreen) ? veto("full-screen") : null,
});

export const call = check({
  reasons: {
    "in-call": {
      short: "On a call",
      brief: "Gleaner waits until your call is over.",
      sentence: "The camera or the microphone is in use. Gleaner waits until the call is over.",
      cooldownSeconds: 30,
      facts: ["cameraInUse", "microphoneInUse"],
    },
  },
  needs: ({ holdOnCall }: PresenceRules) => (holdOnCall ? ["cameraInUse", "microphoneInUse"] : []),
  donateNowOverrides: ["holdOnCall"],
  veto: ({ facts, rules }: Context<"cameraInUse" | "microphoneInUse", PresenceRules>) =>
    rules.holdOnCall && (isTrue(facts.cameraInUse) || isTrue(facts.microphoneInUse)) ? veto("in-call") : null,
});

export const media = check({
  reasons: {
    "media-playing": {
      short: "Media playing",
      brief: "Gleaner waits until the sound or film ends.",
      sentence: "Sound or a film is playing. Gleaner waits until it ends.",
      cooldownSeconds: 30,
      facts: ["mediaPlaying"],
    },
  },
  needs: ({ holdOnMedia }: PresenceRules) => (holdOnMedia ? ["mediaPlaying"] : []),
  donateNowOverrides: ["holdOnMedia"],
  veto: ({ facts, rules }: Context<"mediaPlaying", PresenceRules>) =>
    rules.holdOnMedia && isTrue(facts.mediaPlaying) ? veto("media-playing") : null,
});
