import { type ComfortHour, leastDonatedSeconds } from "./hour.ts";
import { brokenParts, type ComfortPart, comfortParts } from "./judge.ts";

/** The share of donated hours that have to keep every promise. */
export const comfortTarget = 0.99;

/** Hours counted by the promises that they broke. An hour may break several. */
type BrokenCounts = Record<ComfortPart, number>;

/** A device's hours that broke a promise. */
export type UneasyDevice = { deviceId: string; brokenHours: number; broken: BrokenCounts };

/** The comfort of a fleet in a time, counted. Counts merge by addition. */
export type ComfortCounts = {
  hours: number;
  keptHours: number;
  broken: BrokenCounts;
  /** The devices with the most broken hours, the worst first. */
  worst: UneasyDevice[];
};

/**
 * The most devices that are told apart. With more of them in one day, the last ones are missing, however many hours they break
 * after that. A day of so many takes some 60 KB.
 */
export const mostUneasy = 400;

export function noComfort(): ComfortCounts {
  return { hours: 0, keptHours: 0, broken: noneBroken(), worst: [] };
}

/** Counts hours of devices. Hours with too little donation do not count. */
export function countHours(
  given: readonly { readonly deviceId: string; readonly hour: ComfortHour }[],
): ComfortCounts {
  const judged = given.filter(({ hour }) => hour.donatedSeconds >= leastDonatedSeconds);
  return mergeComfort(
    judged.map(({ deviceId, hour }) => {
      const parts = brokenParts(hour);
      const broken = noneBroken();
      for (const part of parts) broken[part] = 1;
      const isKept = parts.length === 0;
      return {
        hours: 1,
        keptHours: isKept ? 1 : 0,
        broken,
        worst: isKept ? [] : [{ deviceId, brokenHours: 1, broken }],
      };
    }),
  );
}

/** The counts of all of them. Of devices that broke a promise in few hours, only the worst stay. */
export function mergeComfort(counts: readonly ComfortCounts[]): ComfortCounts {
  const sum = noComfort();
  const devices = new Map<string, UneasyDevice>();
  for (const { hours, keptHours, broken, worst } of counts) {
    sum.hours += hours;
    sum.keptHours += keptHours;
    addBroken(sum.broken, broken);
    for (const device of worst) {
      const { deviceId } = device;
      const known = devices.get(deviceId) ?? { deviceId, brokenHours: 0, broken: noneBroken() };
      known.brokenHours += device.brokenHours;
      addBroken(known.broken, device.broken);
      devices.set(deviceId, known);
    }
  }
  const ranked = [...devices.values()].sort(
    (a, b) => b.brokenHours - a.brokenHours || (a.deviceId < b.deviceId ? -1 : 1),
  );
  return { ...sum, worst: ranked.slice(0, mostUneasy) };
}

/** The share of hours that kept every promise, and whether that is enough. Null: nothing was donated. */
export function objectiveOf({
  hours,
  keptHours,
}: Pick<ComfortCounts, "hours" | "keptHours">): { readonly share: number; readonly isKept: boolean } | null {
  if (hours === 0) return null;
  const share = keptHours / hours;
  return { share, isKept: share >= comfortTarget };
}

/** The promise that a device broke in the most hours. */
export function mainPart(broken: BrokenCounts): ComfortPart {
  return comfortParts.reduce((most, part) => (broken[part] > broken[most] ? part : most));
}

function noneBroken(): BrokenCounts {
  return { yields: 0, delay: 0, heat: 0, battery: 0 };
}

function addBroken(to: BrokenCounts, added: BrokenCounts): void {
  for (const part of comfortParts) to[part] += added[part];
}
