import { bucketOf, spans } from "../statistics/spans.ts";
import { type DayProfile, picturesOf, type WeighedDay } from "./likely-days.ts";
import { normalNumber, randomNumbers } from "./random.ts";
import type { RequestWork } from "./work.ts";

/** Longer than the longest window of a batch. */
const horizonDays = 9;
/** After so long the devices that donated lately say little about those that will; ms. */
const fadesInMs = 3 * spans.hour;
/** Without any past day, the fleet's size is as uncertain as that. */
const spreadOfUnknownDay = 0.5;

export type Wanted = {
  readonly now: number;
  /** Whole past days. */
  readonly past: readonly DayProfile[];
  /** The mean number of devices that donated in the last hour. */
  readonly lately: number;
  readonly requests: number;
  readonly work: RequestWork;
};

/** The number of futures that are drawn. */
export const drawn = 400;

/**
 * Draws possible ends of a batch, ms epoch and in order; Infinity: after the horizon. Each draw takes past days as the coming ones, and
 * a work per request from its distribution. Draws are the same for the same input.
 */
export function drawEnds({ now, past, lately, requests, work }: Wanted): number[] {
  const next = randomNumbers(drawn);
  const today = bucketOf(now, spans.day);
  const pictures = Array.from({ length: horizonDays }, (_, day) => picturesOf(past, today + day * spans.day));
  const ends = Array.from({ length: drawn }, () => {
    const needed = requests * work.hours * Math.exp(work.spread * normalNumber(next));
    const level = past.length === 0 ? Math.exp(spreadOfUnknownDay * normalNumber(next)) : 1;
    const days = pictures.map((candidates) => drawDay(candidates, next()));
    return endOf(needed, now, (hour) => devicesAt(days, { now, today, lately: lately * level }, hour));
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

/** Adds up hours until they have the needed device hours. */
function endOf(needed: number, now: number, devicesIn: (hour: number) => number): number {
  const until = now + (horizonDays - 1) * spans.day;
  let left = needed;
  for (let at = now; at < until;) {
    const end = bucketOf(at, spans.hour) + spans.hour;
    const devices = devicesIn(at);
    const given = (devices * (end - at)) / spans.hour;
    if (given >= left && devices > 0) return at + (left / devices) * spans.hour;
    left -= given;
    at = end;
  }
  return Infinity;
}

type Present = { readonly now: number; readonly today: number; readonly lately: number };

/** The devices of a moment: those of the drawn day, moved towards those that donated lately while that is near. */
function devicesAt(
  days: readonly (DayProfile | null)[],
  { now, today, lately }: Present,
  at: number,
): number {
  const value = (day: number, moment: number): number =>
    days[day]?.devices[new Date(moment).getUTCHours()] ?? lately;
  const share = (now - bucketOf(now, spans.hour)) / spans.hour;
  const before = share * value(0, now) + (1 - share) * value(0, now - spans.hour);
  const difference = (lately - before) * Math.exp(-(at - now) / fadesInMs);
  return Math.max(0, value(Math.floor((at - today) / spans.day), at) + difference);
}
