import { formatPercent, plural } from "../../format/quantity.ts";
import { mix32 } from "./rank.ts";

/** How far a stage goes: to a number of devices, or to a share of them in percent. */
export type StageSize =
  { readonly of: "devices"; readonly devices: number } | { readonly of: "percent"; readonly percent: number };

/** How a roll-out goes on by itself, and when it stops by itself. */
export type RolloutPace = {
  /** A stage lasts at least as long. */
  readonly minMinutes: number;
  /** The share of a stage's devices that has to be ready before the next stage. */
  readonly readyPercent: number;
  /** The roll-out stops if a larger share of a stage's devices failed. */
  readonly failedPercent: number;
  /** Whether an administrator starts each stage. */
  readonly byHand: boolean;
};

export const defaultSizes: readonly StageSize[] = [
  { of: "devices", devices: 1 },
  { of: "percent", percent: 10 },
  { of: "percent", percent: 50 },
  { of: "percent", percent: 100 },
];

export const defaultPace: RolloutPace = {
  minMinutes: 30,
  readyPercent: 80,
  failedPercent: 20,
  byHand: false,
};

export const rolloutBounds = { stages: 6, devices: 10_000, minMinutes: 7 * 24 * 60 };

/** A stage with its devices: those whose rank is at most `upTo`. Earlier stages are part of it. */
export type Stage = {
  readonly size: StageSize;
  readonly upTo: number;
  /** Devices in service that it asks to download the model, at the start of the roll-out. */
  readonly devices: number;
  /** Those that were online and have enough memory. As many are expected to become ready. */
  readonly expected: number;
};

/** A device in service that may have the model. `able`: it was online at the start and has enough memory. */
export type Candidate = { readonly rank: number; readonly able: boolean };

/** The place of a device in the roll-out of a model: from 0 to less than 1, and always the same. */
export function rankOf(modelId: string, deviceId: string): number {
  return mix32(`${modelId}\n${deviceId}`) / 2 ** 32;
}

/** Finds the devices of each stage. The last stage has all devices, those that come later included. */
export function planStages(sizes: readonly StageSize[], candidates: readonly Candidate[]): readonly Stage[] {
  const ranks = candidates.map(({ rank }) => rank).sort((a, b) => a - b);
  const able = candidates.flatMap((one) => (one.able ? [one.rank] : [])).sort((a, b) => a - b);
  // Without an able device the ranks of the others say where a stage ends.
  const counted = able.length > 0 ? able : ranks;
  let before = 0;
  return sizes.map((size, index) => {
    // A share of a small fleet may be smaller than the number of devices before it.
    const upTo = Math.max(before, index === sizes.length - 1 ? 1 : endOf(size, counted));
    before = upTo;
    return {
      size,
      upTo,
      devices: ranks.filter((rank) => rank <= upTo).length,
      expected: able.filter((rank) => rank <= upTo).length,
    };
  });
}

/** The highest rank of a stage. An empty fleet has no ranks to count, so its new devices are shared out by their rank. */
function endOf(size: StageSize, ranks: readonly number[]): number {
  if (ranks.length === 0) return size.of === "percent" ? size.percent / 100 : 0;
  const wanted = size.of === "devices" ? size.devices : Math.ceil((ranks.length * size.percent) / 100);
  return ranks[Math.min(Math.max(wanted, 1), ranks.length) - 1] ?? 1;
}

/** The mistake in a list of stages, in a sentence. Null without one. */
export function mistakeInSizes(sizes: readonly StageSize[]): string | null {
  if (sizes.length < 2 || sizes.length > rolloutBounds.stages) {
    return `A roll-out has 2 to ${String(rolloutBounds.stages)} stages.`;
  }
  const last = sizes.at(-1);
  if (last?.of !== "percent" || last.percent !== 100)
    return `The last stage has to be ${formatPercent(100)}.`;
  for (const [at, size] of sizes.entries()) {
    const before = sizes[at - 1];
    const value = size.of === "devices" ? size.devices : size.percent;
    if (!Number.isInteger(value) || value < 1)
      return `A stage has at least 1 device, or ${formatPercent(1)}.`;
    if (size.of === "devices" && value > rolloutBounds.devices) return "A stage has too many devices.";
    if (size.of === "percent" && value > 100) return `A stage has at most ${formatPercent(100)}.`;
    if (before === undefined) continue;
    if (before.of === "percent" && size.of === "devices") return "Numbers of devices come before percents.";
    const previous = before.of === "devices" ? before.devices : before.percent;
    if (before.of === size.of && value <= previous) return "Each stage has to be larger than the one before.";
  }
  return null;
}

/** The mistake in a pace, in a sentence. Null without one. */
export function mistakeInPace({ minMinutes, readyPercent, failedPercent }: RolloutPace): string | null {
  const isIn = (value: number, least: number, most: number): boolean =>
    Number.isInteger(value) && value >= least && value <= most;
  if (!isIn(minMinutes, 0, rolloutBounds.minMinutes)) return "A stage lasts at most 7 days.";
  if (!isIn(readyPercent, 1, 100)) return `The share of ready devices has to be 1 to ${formatPercent(100)}.`;
  if (!isIn(failedPercent, 0, 99)) return `The share of failed devices has to be 0 to ${formatPercent(99)}.`;
  return null;
}

/** Reads stages as people type them: "1, 10%, 50%, 100%". Null if a part is neither a number nor a percentage. */
export function parseSizes(typed: string): readonly StageSize[] | null {
  const sizes = typed.split(",").map((part): StageSize | null => {
    const read = /^\s*(\d{1,6})\s*(%?)\s*$/.exec(part);
    if (read === null) return null;
    const value = Number(read[1]);
    return read[2] === "%" ? { of: "percent", percent: value } : { of: "devices", devices: value };
  });
  return sizes.every((size) => size !== null) ? sizes : null;
}

/** The same text again. */
export function sizesText(sizes: readonly StageSize[]): string {
  return sizes
    .map((size) => (size.of === "devices" ? String(size.devices) : formatPercent(size.percent)))
    .join(", ");
}

/** A stage in words: "1 device", "10%", "all devices". */
export function sizeWords(size: StageSize): string {
  if (size.of === "devices") return plural(size.devices, ["# device", "# devices"]);
  return size.percent === 100 ? "all devices" : formatPercent(size.percent);
}
