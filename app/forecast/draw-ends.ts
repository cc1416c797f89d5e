import { bucketOf, spans } from "../statistics/spans.ts";
import { type DayProfile, similarDays, type WeighedDay } from "./likely-days.ts";
import { normalNumber, randomNumbers } from "./random.ts";
import type { RequestWork } from "./work.ts";

/** Longer than the longest window of a batch. */
const horizonDays = 9;
/** After so long the devices that donated lately say little about those that will; ms. */
const fadesInMs = 3 * spans.hour;
/**
 * The share of what donated lately beyond a usual day that goes on for now. The rest was chance: a batch gets furthest in minutes in which
 * more devices donate than will soon.
 */
const lastingShare = 0.5;
/** Without any past day, the fleet's size is as uncertain as that. */
const spreadOfUnknownDay = 0.5;

/** The input of a forecast. */
export type EndsOptions = {
  readonly now: number;
  /** Whole past days. */
  readonly past: readonly DayProfile[];
  /** The mean number of devices that donated in the last hour. */
  readonly lately: number;
  readonly requests: number;
  readonly work: RequestWork;
  /** The device hours that jobs of higher priority need first. */
  readonly firstHours: number;
};

/** The spread of the time that jobs of higher priority take: only few of their kind were measured. */
const spreadOfFirst = 0.3;

/** The number of futures that are drawn. */
export const drawn = 400;

/**
 * Draws possible ends of a batch, ms epoch and in order; Infinity: after the horizon. Each draw takes past days as the coming ones, and
 * a work per request from its distribution. Draws are the same for the same input.
 */
export function drawEnds({ now, past, lately, requests, work, firstHours }: EndsOptions): number[] {
  const next = randomNumbers(drawn);
  const today = bucketOf(now, spans.day);
  const candidates = Array.from({ length: horizonDays }, (_, day) =>
    similarDays(past, today + day * spans.day),
  );
  // In the first hour of a day, the hour before is one of yesterday.
  const isNewDay = bucketOf(now - spans.hour, spans.day) < today;
  const yesterday = isNewDay ? similarDays(past, today - spans.day) : null;
  const hours = hoursFrom(now);
  const ends = Array.from({ length: drawn }, () => {
    const higher = firstHours === 0 ? 0 : firstHours * Math.exp(spreadOfFirst * normalNumber(next));
    const needed = higher + requests * work.hours * Math.exp(work.spread * normalNumber(next));
    const level = past.length === 0 ? Math.exp(spreadOfUnknownDay * normalNumber(next)) : 1;
    const days = candidates.map((similar) => drawDay(similar, next()));
    const [first = null] = days;
    const before = yesterday === null ? first : drawDay(yesterday, next());
    return endOf(needed, hours, devicesOf(days, { now, lately: lately * level, before }));
  });
  return ends.sort((a, b) => a - b);
}

function drawDay(candidates: readonly WeighedDay[], share: number): DayProfile | null {
  let left = share * candidates.reduce((sum, { weight }) => sum + weight, 0);
  for (const { day, weight } of candidates) {
    left -= weight;
    if (left < 0) return day;
  }
  return candidates.at(-1)?.day ?? null;
}

/** An hour of the future, or the rest of the present one. Every draw goes through the same hours, so they are made once. */
type ComingHour = {
  /** ms epoch. */
  readonly at: number;
  /** Its length in hours. */
  readonly length: number;
  /** Days after today. */
  readonly day: number;
  readonly hourOfDay: number;
  /** How much the devices that donated lately still count, 0 to 1. */
  readonly nearness: number;
};

function hoursFrom(now: number): ComingHour[] {
  const today = bucketOf(now, spans.day);
  const until = now + (horizonDays - 1) * spans.day;
  const hours: ComingHour[] = [];
  for (let at = now; at < until;) {
    const end = bucketOf(at, spans.hour) + spans.hour;
    hours.push({
      at,
      length: (end - at) / spans.hour,
      day: Math.floor((at - today) / spans.day),
      hourOfDay: hourOfDay(at),
      nearness: Math.exp(-(at - now) / fadesInMs),
    });
    at = end;
  }
  return hours;
}

function hourOfDay(at: number): number {
  return new Date(at).getUTCHours();
}

/** Adds up hours until they have the needed device hours. */
function endOf(
  needed: number,
  hours: readonly ComingHour[],
  devicesIn: (hour: ComingHour) => number,
): number {
  let left = needed;
  for (const hour of hours) {
    const devices = devicesIn(hour);
    const given = devices * hour.length;
    if (given >= left && devices > 0) return hour.at + (left / devices) * spans.hour;
    left -= given;
  }
  return Infinity;
}

/** `before`: the drawn day of the hour before the present one. */
type Present = { readonly now: number; readonly lately: number; readonly before: DayProfile | null };

/** The devices of an hour: those of the drawn day, moved towards those that donated lately while that is near. */
function devicesOf(
  days: readonly (DayProfile | null)[],
  { now, lately, before }: Present,
): (hour: ComingHour) => number {
  const value = (day: number, hour: number): number => days[day]?.devices[hour] ?? lately;
  const share = (now - bucketOf(now, spans.hour)) / spans.hour;
  const hourBefore = before?.devices[hourOfDay(now - spans.hour)] ?? lately;
  const usual = share * value(0, hourOfDay(now)) + (1 - share) * hourBefore;
  const difference = lastingShare * (lately - usual);
  return (hour) => Math.max(0, value(hour.day, hour.hourOfDay) + difference * hour.nearness);
}
