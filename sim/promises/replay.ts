import {
  addSample,
  type CapacityDay,
  type CapacityHour,
  donatedHours,
  jobsPerDevice,
} from "../../app/forecast/capacity.ts";
import { type Forecast, forecastBatch } from "../../app/forecast/forecast.ts";
import { workBefore, workError, workShown } from "../../app/forecast/work.ts";
import { normal, type Random, randomFrom } from "../structures/random.ts";
import { drawDay, drawOffice, type Minute, minutesOfDay } from "./office.ts";

const minuteMs = 60_000;
const dayMs = minutesOfDay * minuteMs;
/** A Monday. */
const firstDay = Date.UTC(2026, 0, 5);
const futureDays = 9;
/** Seconds of an earlier request on a laptop of mean speed. */
const requestSeconds = 12;
const earlierJobs = { answered: 1_000, runMs: 1_000 * requestSeconds * 1_000, interrupted: 0 };
/** Jobs of higher priority need from a few minutes to some hours of the fleet. */
const firstHours = { least: 0.1, most: 4 };
/** Nobody knows exactly how long they take: the standard deviation of the logarithm. */
const firstSpread = 0.3;
/** Batches need from half an hour to two nights of the fleet. */
const batchHours = { least: 0.5, most: 30 };
/** Batches of a week that ended before, by which a forecast learns how far requests differ. */
const earlierPerWeek = 3;
const jobsOfLaptop = 2;
const promisesPerOffice = 10;

/** The moments of a batch at which a promise is made. Behind others: at the start, while jobs of higher priority are ready. */
export const promiseMoments = ["at the start", "behind others", "half-way"] as const;
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
  const earlier = randomFrom(-seed);
  return replay(random, moment, {
    promises,
    lengthSpread,
    nextWorld: () => withEarlierBatches(drawWorld(random, laptops, weeks), earlier, lengthSpread),
  });
}

/** A promise may be for more than a week after the recorded days that it is made from. */
const laterDays = 7 + futureDays;
const leastKnownDays = 7;

/**
 * Makes promises in the last weeks of the days that an organization has recorded, and replays the days that followed. Its devices count
 * by number: their speeds were not recorded. Null: it has less than about three weeks.
 */
export function replayRecorded(
  moment: PromiseMoment,
  days: readonly CapacityDay[],
  { promises, seed, lengthSpread }: Pick<PromiseOptions, "promises" | "seed" | "lengthSpread">,
): PromiseFigures | null {
  const recorded = recordedWorld(days);
  if (recorded === null) return null;
  const world = withEarlierBatches(recorded, randomFrom(-seed), lengthSpread);
  return replay(randomFrom(seed), moment, { promises, lengthSpread, nextWorld: () => world });
}

type ReplayOptions = {
  readonly promises: number;
  readonly lengthSpread: number;
  readonly nextWorld: () => KnownWorld;
};

function replay(
  random: Random,
  moment: PromiseMoment,
  { promises, lengthSpread, nextWorld }: ReplayOptions,
): PromiseFigures {
  const durations: { readonly expected: number; readonly promised: number; readonly real: number }[] = [];
  let world = nextWorld();
  for (let made = 0; made < promises; made += 1) {
    if (made > 0 && made % promisesPerOffice === 0) world = nextWorld();
    // In the week after the recorded ones.
    const start = world.recorded + random.below(7 * minutesOfDay);
    const batch = drawBatch(random, world, { start, moment, lengthSpread });
    const madeAt = moment === "half-way" ? halfWay(batch) : batch.startedAt;
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
  readonly firstDay: number;
  /** Minutes since the first day. */
  readonly minutes: readonly Minute[];
  readonly days: readonly CapacityDay[];
  /** The index of the first minute after the recorded weeks. */
  readonly recorded: number;
  /** Jobs that a device runs at once. */
  readonly jobsAtOnce: number;
};

/** `errors`: those of the estimates of batches that ended in the recorded weeks. */
type KnownWorld = World & { readonly errors: readonly number[] };

/** Runs earlier batches in the recorded weeks. */
function withEarlierBatches(world: World, random: Random, lengthSpread: number): KnownWorld {
  const { firstDay: firstAt, days, recorded, jobsAtOnce } = world;
  const count = Math.floor((earlierPerWeek * recorded) / (7 * minutesOfDay));
  const expected = workBefore(earlierJobs, jobsAtOnce, [])?.hours ?? NaN;
  const errors = Array.from({ length: count }, (): number | null => {
    const start = random.below(recorded);
    const batch = drawBatch(random, world, { start, moment: "at the start", lengthSpread });
    const { requests, startedAt, endedAt } = batch;
    if (endedAt === null || endedAt > firstAt + recorded * minuteMs) return null;
    return workError(expected, workShown(requests, donatedHours(days, startedAt, endedAt)), requests);
  });
  return { ...world, errors: errors.filter((error) => error !== null) };
}

function drawWorld(random: Random, laptops: number, weeks: number): World {
  const office = drawOffice(random, laptops);
  const known = 7 * weeks;
  const minutes: Minute[] = [];
  const days: CapacityDay[] = [];
  for (let day = 0; day < known + 7 + futureDays; day += 1) {
    const startAt = firstDay + day * dayMs;
    const drawn = drawDay(random, office, new Date(startAt).getUTCDay());
    minutes.push(...drawn);
    days.push({ startAt, hours: hoursOf(drawn, startAt, jobsOfLaptop) });
  }
  return { firstDay, minutes, days, recorded: known * minutesOfDay, jobsAtOnce: jobsOfLaptop };
}

/** Whole recorded days as a world. Hours without samples had no devices. Null: they are too few. */
function recordedWorld(recorded: readonly CapacityDay[]): World | null {
  const sorted = recorded.toSorted((a, b) => a.startAt - b.startAt);
  const [first, last] = [sorted.at(0)?.startAt ?? 0, sorted.at(-1)?.startAt ?? 0];
  // The last day may not be over.
  const count = Math.round((last - first) / dayMs);
  if (count < leastKnownDays + laterDays) return null;
  const days = Array.from({ length: count }, (_, n): CapacityDay => {
    const startAt = first + n * dayMs;
    return sorted.find((day) => day.startAt === startAt) ?? { startAt, hours: [] };
  });
  const minutes = days.flatMap(({ startAt, hours }) =>
    Array.from({ length: minutesOfDay }, (_, minute): Minute => {
      const hourAt = startAt + Math.floor(minute / 60) * 60 * minuteMs;
      const hour = hours.find((each) => each.startAt === hourAt);
      const devices = hour === undefined ? 0 : hour.devices / hour.samples;
      return { devices, speed: devices, returns: 0 };
    }),
  );
  return {
    firstDay: first,
    minutes,
    days,
    recorded: (count - laterDays) * minutesOfDay,
    jobsAtOnce: jobsPerDevice(days),
  };
}

type Batch = {
  readonly requests: number;
  readonly startedAt: number;
  /** Null: not within the drawn days. */
  readonly endedAt: number | null;
  /** Requests that had ended after each minute since the start. */
  readonly done: readonly number[];
  /** How long the queue expects ready jobs of higher priority to take at the start, ms. */
  readonly firstMs: number;
};

type BatchOptions = {
  /** Its first minute. */
  readonly start: number;
  readonly moment: PromiseMoment;
  readonly lengthSpread: number;
};

/** Draws a batch, and runs it on the true days. */
function drawBatch(random: Random, world: World, { start, moment, lengthSpread }: BatchOptions): Batch {
  const { firstDay: firstAt, minutes, recorded, jobsAtOnce } = world;
  const { least, most } = batchHours;
  const hours = least * (most / least) ** random.next();
  const week = minutes.slice(0, recorded);
  const speed = week.reduce((sum, minute) => sum + minute.speed, 0) / week.length;
  const seconds = requestSeconds * Math.exp(lengthSpread * normal(random));
  const requests = Math.max(1, Math.round((hours * speed * 3_600 * jobsAtOnce) / requestSeconds));
  const first = moment === "behind others" ? drawFirst(random, speed) : { seconds: 0, expected: 0 };
  const done: number[] = [];
  let sum = 0;
  let before = first.seconds;
  for (let at = start; at < minutes.length && sum < requests; at += 1) {
    const { speed: now = 0, returns = 0 } = minutes[at] ?? {};
    if (before > 0) {
      before -= 60 * now;
      done.push(0);
      continue;
    }
    // Each return interrupts requests that are half done in the mean.
    sum += Math.max(0, (60 * now * jobsAtOnce) / seconds - (returns * jobsAtOnce) / 2);
    done.push(Math.min(requests, Math.floor(sum)));
  }
  const startedAt = firstAt + start * minuteMs;
  const endedAt = sum < requests ? null : startedAt + done.length * minuteMs;
  const { speed: atStart = 0 } = minutes[start] ?? {};
  // Without a device nobody measures them.
  const firstMs = atStart === 0 ? 0 : (1_000 * first.expected) / atStart;
  return { requests, startedAt, endedAt, done, firstMs };
}

/** Ready jobs of higher priority: the seconds that one device of mean speed would need for them, and is expected to need. */
function drawFirst(random: Random, speed: number): { readonly seconds: number; readonly expected: number } {
  const { least, most } = firstHours;
  const seconds = least * (most / least) ** random.next() * speed * 3_600;
  return { seconds, expected: seconds * Math.exp(firstSpread * normal(random)) };
}

/** The moment at which half of a batch was done. */
function halfWay({ requests, startedAt, done }: Batch): number {
  const minute = done.findIndex((ended) => ended >= requests / 2);
  return startedAt + (minute < 0 ? done.length : minute + 1) * minuteMs;
}

function forecastOf(
  world: KnownWorld,
  { requests, startedAt, done, firstMs }: Batch,
  madeAt: number,
): Forecast {
  const ended = done[Math.round((madeAt - startedAt) / minuteMs) - 1] ?? 0;
  const forecast = forecastBatch({
    now: madeAt,
    expiresAt: Infinity,
    startedAt,
    answered: ended,
    left: requests - ended,
    ahead: 0,
    firstMs,
    days: recordedUntil(world, madeAt),
    devicesNow: world.minutes[Math.round((madeAt - world.firstDay) / minuteMs)]?.devices ?? 0,
    model: earlierJobs,
    errors: world.errors,
  });
  if (forecast === null) throw new Error("a model with a record has a forecast");
  return forecast;
}

/** The days as they were recorded until a moment, whose own day is not over. */
function recordedUntil(world: World, moment: number): CapacityDay[] {
  const { firstDay: first, minutes, days, jobsAtOnce } = world;
  const index = Math.floor((moment - first) / dayMs);
  const startAt = first + index * dayMs;
  const today = minutes.slice(index * minutesOfDay, Math.round((moment - first) / minuteMs));
  return [...days.slice(0, index), { startAt, hours: hoursOf(today, startAt, jobsAtOnce) }];
}

function hoursOf(minutes: readonly Minute[], startAt: number, jobsAtOnce: number): CapacityHour[] {
  let hours: CapacityHour[] = [];
  minutes.forEach(({ devices }, minute) => {
    const sample = { at: startAt + minute * minuteMs, devices, ready: 1, running: devices * jobsAtOnce };
    hours = addSample(hours, sample);
  });
  return hours;
}
