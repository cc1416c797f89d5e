import { bucketOf, spans } from "../statistics/spans.ts";
import type { CapacityDay } from "./capacity.ts";

/** The mean number of donating devices in each of the 24 hours of a day. Null: no samples. */
export type DayProfile = { readonly startAt: number; readonly devices: readonly (number | null)[] };

const hoursOfDay = 24;
/** An hour with fewer samples says too little. */
const leastSamples = 20;

export function profileOf({ startAt, hours }: CapacityDay): DayProfile {
  const devices = Array.from({ length: hoursOfDay }, (): number | null => null);
  for (const hour of hours) {
    const index = Math.round((hour.startAt - startAt) / spans.hour);
    if (hour.samples >= leastSamples && index < hoursOfDay) devices[index] = hour.devices / hour.samples;
  }
  return { startAt, devices };
}

/** Whole days that are over, newest last: a day of which most hours were sampled. */
export function wholeDays(days: readonly CapacityDay[], now: number): DayProfile[] {
  const today = bucketOf(now, spans.day);
  return days
    .filter(({ startAt }) => startAt < today)
    .map(profileOf)
    .filter(({ devices }) => devices.filter((value) => value !== null).length > hoursOfDay / 2);
}

/** A past day. `weight`: the chance that a coming day is like it, relative to other past days. */
export type WeighedDay = { readonly day: DayProfile; readonly weight: number };

const sameWeekday = 3;
const sameKind = 1;
/** A day of another kind counts only where no other day is known. */
const otherKind = 0.001;

/** The past days that a day may be like. Those of the same weekday weigh most, then those on which the fleet donates about as much. */
export function similarDays(past: readonly DayProfile[], startAt: number): WeighedDay[] {
  const weekday = weekdayOf(startAt);
  const own = meanOf(past, weekday);
  return past.map((day) => {
    const other = weekdayOf(day.startAt);
    if (other === weekday) return { day, weight: sameWeekday };
    const mean = meanOf(past, other);
    const isAlike = own === null || mean === null || isAbout(own, mean);
    return { day, weight: isAlike ? sameKind : otherKind };
  });
}

function isAbout(one: number, other: number): boolean {
  return Math.min(one, other) >= 0.75 * Math.max(one, other);
}

function meanOf(past: readonly DayProfile[], weekday: number): number | null {
  const values = past
    .filter(({ startAt }) => weekdayOf(startAt) === weekday)
    .flatMap(({ devices }) => devices.filter((value) => value !== null));
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function weekdayOf(at: number): number {
  return new Date(at).getUTCDay();
}
