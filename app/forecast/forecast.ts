import { spans } from "../statistics/spans.ts";
import { type CapacityDay, donatedHours, jobsPerDevice, meanDevices } from "./capacity.ts";
import { drawEnds } from "./draw-ends.ts";
import { promised } from "./end-chance.ts";
import { wholeDays } from "./likely-days.ts";
import { combined, type ModelRecord, type RequestWork, workBefore, workShown } from "./work.ts";

/** The facts about a batch and its fleet that a forecast is made from. Times are ms epoch. */
export type BatchOutlook = {
  readonly now: number;
  readonly expiresAt: number;
  /** Null: it has not started. */
  readonly startedAt: number | null;
  /** Requests that have their answers. */
  readonly answered: number;
  /** Requests that have not ended. */
  readonly left: number;
  /** Requests of other batches that are expected to end before it does. They count as long as it has few answers itself. */
  readonly ahead: number;
  /** How long the devices of now take for ready jobs of higher priority, which come first; ms. */
  readonly firstMs: number;
  readonly days: readonly CapacityDay[];
  /** Devices that donate now, for the first minutes of a fleet. */
  readonly devicesNow: number;
  readonly model: ModelRecord | null;
  /** By how much the work of ended batches differed from its estimate before: `workError` of each. */
  readonly errors: readonly number[];
};

/** The forecast end of a batch. Times are ms epoch; null: in more than a week. */
export type Forecast = {
  /** As likely to be earlier as later. */
  expectedAt: number | null;
  /** At most one of twenty such batches ends later. */
  latestAt: number | null;
  /** The share of the drawn futures in which it ends in its time. */
  onTime: number;
  /** The whole past days that it is made from. */
  days: number;
};

/**
 * Forecasts when a batch ends, from the devices that donated in the past weeks hour by hour, and from the time that its requests,
 * or earlier jobs of its model, took. Null: neither is known. docs/forecast.md explains it.
 */
export function forecastBatch(outlook: BatchOutlook): Forecast | null {
  const { now, expiresAt, startedAt, answered, left, firstMs, days, devicesNow } = outlook;
  const before = workBeforeAnswers(outlook);
  // Without a record since the start, few device hours would seem to have done all of the work.
  const isRecorded = startedAt !== null && startedAt >= (days[0]?.hours[0]?.startAt ?? Infinity);
  const shown = isRecorded ? workShown(answered, donatedHours(days, startedAt, now)) : null;
  const work = combined(before, shown);
  if (work === null) return null;
  const past = wholeDays(days, now);
  const lately = meanDevices(days, now - spans.hour, now) ?? devicesNow;
  const firstHours = (firstMs / spans.hour) * devicesNow;
  const ends = drawEnds({ now, past, lately, requests: left, work, firstHours });
  return {
    expectedAt: quantileOf(ends, 0.5),
    latestAt: quantileOf(ends, promised),
    onTime: ends.filter((end) => end <= expiresAt).length / ends.length,
    days: past.length,
  };
}

/** The work of a request before the batch has answers, while other batches run, too. Null: not known. */
export function workBeforeAnswers({
  days,
  left,
  ahead,
  model,
  errors,
}: Pick<BatchOutlook, "days" | "left" | "ahead" | "model" | "errors">): RequestWork | null {
  return besideOthers(workBefore(model, jobsPerDevice(days), errors), left, ahead);
}

/** The device hours that pass for each request of the batch while those of other batches run, too. The pace includes them already. */
function besideOthers(work: RequestWork | null, left: number, ahead: number): RequestWork | null {
  return work === null ? null : { ...work, hours: work.hours * (1 + ahead / Math.max(1, left)) };
}

function quantileOf(ends: readonly number[], share: number): number | null {
  const end = ends[Math.min(ends.length - 1, Math.ceil(share * ends.length))] ?? Infinity;
  return Number.isFinite(end) ? Math.round(end) : null;
}
