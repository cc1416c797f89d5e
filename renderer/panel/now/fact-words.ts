import type { FactsView } from "../../../app/contract/snapshot.ts";
import { formatShare } from "../../../app/format/quantity.ts";
import { formatDuration } from "../../../app/format/time.ts";

type ValueOf<Name extends keyof FactsView> = Extract<FactsView[Name], { known: true }>["value"];

type FactWords = {
  readonly [Name in keyof FactsView]: readonly [label: string, words: (value: ValueOf<Name>) => string];
};

const yesOrNo = (value: boolean): string => (value ? "yes" : "no");

/** Every fact in words, in the order in which they are shown. */
const factWords: FactWords = {
  idleSeconds: ["Last input", (value) => (value < 1 ? "just now" : `${wholeSeconds(value)} ago`)],
  locked: ["Locked", yesOrNo],
  displayOff: ["Display off", yesOrNo],
  lidClosed: ["Lid closed", yesOrNo],
  power: ["Power", (value) => (value === "ac" ? "mains" : "battery")],
  batteryPercent: ["Battery", (value) => `${Math.round(value)} %`],
  temperatureC: ["Temperature", (value) => `${Math.round(value)} °C`],
  thermal: ["Heat, as the system says", (value) => value],
  otherCpuLoad: ["Other programs", (value) => `${formatShare(value)} of CPU`],
  otherGpuLoad: ["Others on the GPU", (value) => formatShare(value)],
  memoryFreeMb: ["Free memory", mebibytes],
  vramFreeMb: ["Free GPU memory", mebibytes],
  diskFreeMb: ["Free disk", mebibytes],
  fullScreen: ["Full screen", yesOrNo],
  cameraInUse: ["Camera in use", yesOrNo],
  microphoneInUse: ["Microphone in use", yesOrNo],
  mediaPlaying: ["Media playing", yesOrNo],
  excludedProgram: ["Excluded program", (value) => value ?? "none"],
  metered: ["Metered network", yesOrNo],
  networks: ["Networks", (value) => value.join(", ") || "none"],
};

export const factNames = Object.keys(factWords) as readonly (keyof FactsView)[];

export function factLabel(name: keyof FactsView): string {
  return factWords[name][0];
}

/** Where it matters what an unknown fact is taken for. */
const unknownWords: { readonly [Name in keyof FactsView]?: string } = {
  metered: "unknown: counts as not metered",
};

/** What this system does not tell is "unknown", never a guess. */
export function sayFact<Name extends keyof FactsView>(name: Name, fact: FactsView[Name]): string {
  const words = factWords[name][1] as (value: unknown) => string;
  return fact.known ? words(fact.value) : (unknownWords[name] ?? "unknown");
}

/** Memory and disk, in the units of the rules about them. */
function mebibytes(size: number): string {
  return size < 1_024 ? `${Math.round(size)} MiB` : `${(size / 1_024).toFixed(size < 10_240 ? 1 : 0)} GiB`;
}

export function wholeSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600 && seconds % 60 === 0) return `${seconds / 60} min`;
  return formatDuration(Math.floor(seconds) * 1_000);
}
