import { addSample, type CapacityDay, type CapacityHour } from "../../app/forecast/capacity.ts";
import { type Forecast, forecastBatch } from "../../app/forecast/forecast.ts";
import { normal, type Random, randomFrom } from "../structures/random.ts";
import { drawDay, drawOffice, type Minute, minutesOfDay } from "./office.ts";

const minuteMs = 60_000;
const dayMs = minutesOfDay * minuteMs;
/** A Monday. */
const firstDay = Date.UTC(2026, 0, 5);
const futureDays = 9;
/** Seconds of an earlier request on a laptop of mean speed. */
const requestSeconds = 12;
/** Batches need from half an hour to two nights of the fleet. */
const batchHours = { least: 0.5, most: 30 };
const jobsAtOnce = 2;
const promisesPerOffice = 10;

/** The moments of a batch at which a promise is made. */
export const promiseMoments = ["at the start", "half-way"] as const;
export type PromiseMoment = (typeof promiseMoments)[number];

export type PromiseOptions = {
  readonly laptops: number;
  /** Whole weeks that were recorded before. */
  readonly weeks: number;
  readonly promises: number;
  readonly seed: number;
  /** The requests of a batch are longer or shorter than earlier ones: the standard deviation of the logarithm. */
  readonly lengthSpread: number;
};

/** Whether promises were kept, and how far they were from the true end. */
export type PromiseFigures = {
  readonly promises: number;
  /** Batches that ended by the promised moment. */
  readonly kept: number;
  /** Batches that ended by the expected moment, which should be half of them. */
  readonly byExpected: number;
  /** Of promises that were kept: the median of promised over true duration. */
  readonly slack: number;
};

/** Draws offices and their recorded weeks, makes promises with the backend's own functions, and replays the days that follow. */
export function replayPromises(
  moment: PromiseMoment,
  { laptops, weeks, promises, seed, lengthSpread }: PromiseOptions,
): PromiseFigures {
  const random = randomFrom(seed);
  const durations: { readonly expected: number; readonly promised: number; readonly real: number }[] = [];
  let world = drawWorld(random, laptops, weeks);
  for (let made = 0; made < promises; made += 1) {
    if (made > 0 && made % promisesPerOffice === 0) world = drawWorld(random, laptops, weeks);
    const batch = drawBatch(random, world, lengthSpread);
    const madeAt = moment === "at the start" ? batch.startedAt : halfWay(batch);
    const forecast = forecastOf(world, batch, madeAt);
    const real = (batch.endedAt ?? Infinity) - madeAt;
    durations.push({
      expected: (forecast.expectedAt ?? Infinity) - madeAt,
      promised: (forecast.latestAt ?? Infinity) - madeAt,
      real,
    });
  }
  const kept = durations.filter(({ promised, real }) => real <= promised);
  const ratios = kept
    .map(({ promised, real }) => promised / real)
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  return {
    promises,
    kept: kept.length,
    byExpected: durations.filter(({ expected, real }) => real <= expected).length,
    slack: ratios[Math.floor(ratios.length / 2)] ?? NaN,
  };
}

type World = {
  /** Minutes since `firstDay`. */
  readonly minutes: readonly Minute[];
  readonly days: readonly CapacityDay[];
  /** The index of the first minute after the recorded weeks. */
  readonly recorded: number;
};

function drawWorld(random: Random, laptops: number, weeks: number): World {
  const office = drawOffice(random, laptops);
  const known = 7 * weeks;
  const minutes: Minute[] = [];
  const days: CapacityDay[] = [];
  for (let day = 0; day < known + 7 + futureDays; day += 1) {
    const startAt = firstDay + day * dayMs;
    const drawn = drawDay(random, office, new Date(startAt).getUTCDay());
    minutes.push(...drawn);
    days.push({ startAt, hours: hoursOf(drawn, startAt) });
  }
  return { minutes, days, recorded: known * minutesOfDay };
}

type Batch = {
  readonly requests: number;
  readonly startedAt: number;
  /** Null: not within the drawn days. */
  readonly endedAt: number | null;
  /** Requests that had ended after each minute since the start. */
  readonly done: readonly number[];
};

/** Draws a batch that starts in the week after the recorded ones, and runs it on the true days. */
function drawBatch(random: Random, { minutes, recorded }: World, lengthSpread: number): Batch {
  const start = recorded + random.below(7 * minutesOfDay);
  const { least, most } = batchHours;
  const hours = least * (most / least) ** random.next();
  const week = minutes.slice(0, recorded);
  const speed = week.reduce((sum, minute) => sum + minute.speed, 0) / week.length;
  const seconds = requestSeconds * Math.exp(lengthSpread * normal(random));
  const requests = Math.max(1, Math.round((hours * speed * 3_600 * jobsAtOnce) / requestSeconds));
  const done: number[] = [];
  let sum = 0;
  for (let at = start; at < minutes.length && sum < requests; at += 1) {
    const { speed: now = 0, returns = 0 } = minutes[at] ?? {};
    // Each return interrupts requests that are half done in the mean.
    sum += Math.max(0, (60 * now * jobsAtOnce) / seconds - (returns * jobsAtOnce) / 2);
    done.push(Math.min(requests, Math.floor(sum)));
  }
  const startedAt = firstDay + start * minuteMs;
  return { requests, startedAt, endedAt: sum < requests ? null : startedAt + done.length * minuteMs, done };
}

/** The moment at which half of a batch was done. */
function halfWay({ requests, startedAt, done }: Batch): number {
  const minute = done.findIndex((ended) => ended >= requests / 2);
  return startedAt + (minute < 0 ? done.length : minute + 1) * minuteMs;
}

function forecastOf(world: World, { requests, startedAt, done }: Batch, madeAt: number): Forecast {
  const ended = done[Math.round((madeAt - startedAt) / minuteMs) - 1] ?? 0;
  const forecast = forecastBatch({
    now: madeAt,
    expiresAt: Infinity,
    startedAt,
    answered: ended,
    left: requests - ended,
    ahead: 0,
    days: recordedUntil(world, madeAt),
    devicesNow: world.minutes[Math.round((madeAt - firstDay) / minuteMs)]?.devices ?? 0,
    model: { answered: 1_000, runMs: 1_000 * requestSeconds * 1_000, interrupted: 0 },
  });
  if (forecast === null) throw new Error("a model with a record has a forecast");
  return forecast;
}

/** The days as they were recorded until a moment, whose own day is not over. */
function recordedUntil({ minutes, days }: World, moment: number): CapacityDay[] {
  const index = Math.floor((moment - firstDay) / dayMs);
  const startAt = firstDay + index * dayMs;
  const today = minutes.slice(index * minutesOfDay, Math.round((moment - firstDay) / minuteMs));
  return [...days.slice(0, index), { startAt, hours: hoursOf(today, startAt) }];
}

function hoursOf(minutes: readonly Minute[], startAt: number): CapacityHour[] {
  let hours: CapacityHour[] = [];
  minutes.forEach(({ devices }, minute) => {
    const sample = { at: startAt + minute * minuteMs, devices, ready: 1, running: devices * jobsAtOnce };
    hours = addSample(hours, sample);
  });
  return hours;
}
