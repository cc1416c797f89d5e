/** The tones of every status in the panel and the console. */
export type Tone = "good" | "hold" | "rest" | "bad" | "quiet";

export const toneText: Readonly<Record<Tone, string>> = {
  good: "text-accent",
  hold: "text-hold",
  rest: "text-rest",
  bad: "text-bad",
  quiet: "text-muted",
};

export const toneTint: Readonly<Record<Tone, string>> = {
  good: "bg-accent-tint text-accent",
  hold: "bg-hold-tint text-hold",
  rest: "bg-rest-tint text-rest",
  bad: "bg-bad-tint text-bad",
  quiet: "bg-line text-muted",
};

export const toneFill: Readonly<Record<Tone, string>> = {
  good: "bg-accent",
  hold: "bg-hold",
  rest: "bg-rest",
  bad: "bg-bad",
  quiet: "bg-faint",
};
