import { describe, expect, it } from "vitest";
import { spans } from "../statistics/spans.ts";
import {
  addSample,
  type CapacityDay,
  type CapacityHour,
  daysOfShare,
  donatedHours,
  jobsPerDevice,
} from "./capacity.ts";
import { type BatchOutlook, forecastBatch } from "./forecast.ts";
import { workError, workShown } from "./work.ts";

/** A Monday at noon, UTC. */
const noon = Date.UTC(2026, 10, 23, 12);
const minuteMs = 60_000;

/** Recorded days until a moment, on which so many devices donate in each hour. */
function record(weeks: number, devicesIn: (hour: number) => number, until = noon): CapacityDay[] {
  const today = Math.floor(until / spans.day) * spans.day;
  return Array.from({ length: 7 * weeks + 1 }, (_, back) => {
    const startAt = today - (7 * weeks - back) * spans.day;
    let hours: CapacityHour[] = [];
    for (let at = startAt; at < Math.min(until, startAt + spans.day); at += minuteMs) {
      const devices = devicesIn(new Date(at).getUTCHours());
      hours = addSample(hours, { at, devices, ready: 1, running: devices });
    }
    return { startAt, hours };
  });
}

const always = (devices: number) => () => devices;
/** Ten devices from 18 to 8 o'clock. */
const atNight = (hour: number): number => (hour >= 18 || hour < 8 ? 10 : 0);

/** Jobs of the model took six minutes: ten in a device hour. */
const model = { answered: 100, runMs: 100 * 6 * minuteMs, interrupted: 0 };

const outlook = (over: Partial<BatchOutlook>): BatchOutlook => ({
  now: noon,
  expiresAt: noon + spans.day,
  startedAt: null,
  answered: 0,
  left: 100,
  ahead: 0,
  firstMs: 0,
  days: record(3, always(10)),
  devicesNow: 10,
  model,
  errors: [],
  ...over,
});

const hoursUntil = (at: number | null | undefined): number => ((at ?? Infinity) - noon) / spans.hour;

describe("the forecast of a batch", () => {
  it("divides the work by the devices", () => {
    const forecast = forecastBatch(outlook({}));
    // 100 requests are 10 device hours, and 10 devices donate.
    expect(hoursUntil(forecast?.expectedAt)).toBeCloseTo(1, 0);
    expect(hoursUntil(forecast?.latestAt)).toBeGreaterThan(hoursUntil(forecast?.expectedAt));
    expect(forecast?.onTime).toBe(1);
    expect(forecast?.days).toBe(21);
  });

  it("takes longer if only a share of the devices could answer it, which still run as many jobs each", () => {
    const days = record(3, always(10)).map(({ startAt, hours }) => ({
      startAt,
      hours: hours.map((hour) => ({ ...hour, busyJobs: 2 * hour.busyJobs })),
    }));
    const half = daysOfShare(days, 0.5);
    expect(jobsPerDevice(half)).toBe(2);
    const forecast = forecastBatch(outlook({ days: half, devicesNow: 5, left: 200 }));
    // 200 requests are 10 hours of devices with two jobs at once, and 5 of them could answer.
    expect(hoursUntil(forecast?.expectedAt)).toBeCloseTo(2, 0);
    expect(forecastBatch(outlook({ days: daysOfShare(days, 0), devicesNow: 0 }))?.expectedAt).toBeNull();
  });

  it("waits for the hours in which devices donate", () => {
    const forecast = forecastBatch(outlook({ days: record(3, atNight), devicesNow: 0 }));
    expect(hoursUntil(forecast?.expectedAt)).toBeGreaterThan(6);
    expect(hoursUntil(forecast?.expectedAt)).toBeLessThan(8);
  });

  it("compares the hour before midnight with an hour of yesterday", () => {
    // Nobody donates on Saturdays and Sundays. It is five past midnight on a Monday, on which 20 devices begin at once.
    const now = noon - 12 * spans.hour + 5 * minuteMs;
    const isWeekend = (startAt: number): boolean => [0, 6].includes(new Date(startAt).getUTCDay());
    const days = record(3, always(20), now).map(({ startAt, hours }) => ({
      startAt,
      hours: isWeekend(startAt) ? hours.map((hour) => ({ ...hour, devices: 0 })) : hours,
    }));
    const forecast = forecastBatch(outlook({ now, days, left: 1_000, expiresAt: now + spans.day }));
    // 1,000 requests are 100 device hours.
    expect(((forecast?.expectedAt ?? Infinity) - now) / spans.hour).toBeCloseTo(5, 0);
  });

  it("tells that a batch cannot end in its time", () => {
    const days = record(3, atNight);
    const forecast = forecastBatch(outlook({ days, devicesNow: 0, expiresAt: noon + spans.hour }));
    expect(forecast?.onTime).toBe(0);
  });

  it("counts what other batches have left, as long as the batch has no pace", () => {
    const alone = forecastBatch(outlook({ left: 100 }));
    const behind = forecastBatch(outlook({ left: 100, ahead: 300 }));
    expect(hoursUntil(behind?.expectedAt)).toBeGreaterThan(3 * hoursUntil(alone?.expectedAt));
  });

  it("counts ready jobs of higher priority in addition, also once the batch has a pace", () => {
    const started = { startedAt: noon - spans.hour, answered: 100, left: 1_000 };
    for (const batch of [{ left: 1_000 }, started]) {
      const alone = hoursUntil(forecastBatch(outlook(batch))?.expectedAt);
      const behind = hoursUntil(forecastBatch(outlook({ ...batch, firstMs: 4 * spans.hour }))?.expectedAt);
      // All ten devices are busy with them for four hours.
      expect(behind - alone).toBeGreaterThan(3);
      expect(behind - alone).toBeLessThan(5.5);
    }
  });

  it("takes as long for jobs of higher priority as devices are there, however few", () => {
    const few = { days: record(3, always(2)), devicesNow: 2, left: 1 };
    const behind = forecastBatch(outlook({ ...few, firstMs: 4 * spans.hour }));
    expect(hoursUntil(behind?.expectedAt)).toBeGreaterThan(3);
    expect(hoursUntil(behind?.expectedAt)).toBeLessThan(5);
  });

  it("still counts other batches while the batch has few answers", () => {
    // Beside 5,000 others, its first requests took six times as long as they would alone.
    const shared = { left: 1_000, ahead: 5_000 };
    const atStart = forecastBatch(outlook({ ...shared, expiresAt: noon + 7 * spans.day }));
    for (const answered of [5, 10, 20, 100]) {
      const startedAt = noon - (6 * answered * spans.hour) / 100;
      const later = forecastBatch(outlook({ ...shared, answered, startedAt }));
      expect(hoursUntil(later?.expectedAt)).toBeGreaterThan(0.75 * hoursUntil(atStart?.expectedAt));
    }
  });

  it("takes no pace from a time without a record, as of a batch that an earlier version started", () => {
    const startedAt = noon - 20 * spans.hour;
    const lastHour = record(0, always(10)).map((day) => ({ ...day, hours: day.hours.slice(-1) }));
    const forecast = forecastBatch(outlook({ days: lastHour, startedAt, answered: 2_000, left: 1_000 }));
    // 1,000 requests are 100 device hours, and 10 devices donate.
    expect(hoursUntil(forecast?.expectedAt)).toBeGreaterThan(5);
    const unknown = { days: lastHour, startedAt, answered: 2_000, model: null };
    expect(forecastBatch(outlook(unknown))).toBeNull();
  });

  it("learns nothing from jobs that took no time", () => {
    expect(forecastBatch(outlook({ model: { ...model, runMs: 0 } }))).toBeNull();
  });

  it("trusts the batch's own pace more with each answer", () => {
    // In two hours 20 device hours gave 1,000 answers, five times as many as earlier jobs make expect.
    const started = { startedAt: noon - 2 * spans.hour, answered: 1_000, left: 1_000 };
    const forecast = forecastBatch(outlook(started));
    expect(hoursUntil(forecast?.expectedAt)).toBeCloseTo(2, 0);
    expect(hoursUntil(forecast?.latestAt)).toBeLessThan(3);
  });

  it("learns from ended batches how far its estimate may be off", () => {
    const latest = (errors: readonly number[]) => hoursUntil(forecastBatch(outlook({ errors }))?.latestAt);
    const near = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 0.1 : -0.1));
    const far = near.map((error) => 10 * error);
    expect(latest(near)).toBeLessThan(0.8 * latest([]));
    expect(latest(far)).toBeGreaterThan(1.5 * latest([]));
    // One batch that went well is no proof.
    expect(latest([0])).toBeGreaterThan(0.9 * latest([]));
  });

  it("knows nothing about a model without answers, and of a batch without a pace", () => {
    expect(forecastBatch(outlook({ model: null }))).toBeNull();
    expect(forecastBatch(outlook({ model: { ...model, answered: 19 } }))).toBeNull();
    expect(
      forecastBatch(outlook({ model: null, startedAt: noon - spans.hour, answered: 10 })),
    ).not.toBeNull();
  });

  it("names no moment that is more than a week away", () => {
    const forecast = forecastBatch(outlook({ left: 1_000_000 }));
    expect(forecast).toMatchObject({ expectedAt: null, latestAt: null, onTime: 0 });
  });

  it("goes by the devices of now in the first hours of a fleet", () => {
    const forecast = forecastBatch(outlook({ days: [], devicesNow: 5 }));
    expect(hoursUntil(forecast?.expectedAt)).toBeGreaterThan(1);
    expect(hoursUntil(forecast?.expectedAt)).toBeLessThan(4);
    expect(forecastBatch(outlook({ days: [], devicesNow: 0 }))?.expectedAt).toBeNull();
  });

  it("is the same for the same input", () => {
    expect(forecastBatch(outlook({}))).toEqual(forecastBatch(outlook({})));
  });
});

describe("the error of an estimate", () => {
  it("is the logarithm of how much more work a request was", () => {
    expect(workError(0.5, workShown(100, 100), 100)).toBeCloseTo(Math.log(2), 6);
    expect(workError(2, workShown(100, 100), 100)).toBeCloseTo(-Math.log(2), 6);
  });

  it("is unknown of a batch with few answers, or without recorded devices", () => {
    expect(workError(0.5, workShown(19, 100), 19)).toBeNull();
    expect(workError(0.5, workShown(100, 0), 100)).toBeNull();
  });
});

describe("the recorded capacity", () => {
  it("counts device hours between two moments", () => {
    const days = record(1, always(4));
    expect(donatedHours(days, noon - 90 * minuteMs, noon)).toBeCloseTo(6, 6);
    expect(donatedHours(days, noon, noon + spans.hour)).toBe(0);
  });

  it("counts no hour twice after the clock was set back", () => {
    const at = [10, 11, 10, 11].map((hour) => hour * spans.hour);
    const hours = at.reduce<CapacityHour[]>(
      (all, each) => addSample(all, { at: each, devices: 2, ready: 0, running: 0 }),
      [],
    );
    expect(hours.map(({ startAt, samples }) => [startAt / spans.hour, samples])).toEqual([
      [10, 2],
      [11, 2],
    ]);
    expect(donatedHours([{ startAt: 0, hours }], 0, spans.day)).toBe(4);
  });

  it("knows how many jobs a device runs at once, from minutes in which jobs were ready", () => {
    const busy = Array.from({ length: 40 }, (_, n) => ({
      at: n * minuteMs,
      devices: 2,
      ready: 5,
      running: 6,
    }));
    const idle = { at: 41 * minuteMs, devices: 2, ready: 0, running: 1 };
    const hours = [...busy, idle].reduce<CapacityHour[]>(addSample, []);
    expect(jobsPerDevice([{ startAt: 0, hours }])).toBe(3);
    expect(jobsPerDevice([])).toBe(1);
  });
});
