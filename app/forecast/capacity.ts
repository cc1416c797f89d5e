import { bucketOf, spans } from "../statistics/spans.ts";

/** An hour of a fleet, added up from one sample a minute. */
export type CapacityHour = {
  /** ms epoch. */
  startAt: number;
  samples: number;
  /** The sum of the devices that were donating. */
  devices: number;
  /** The same sum over the samples in which some jobs ran while others were ready, so that every device had work. */
  busyDevices: number;
  /** The sum of the jobs that ran in those samples. */
  busyJobs: number;
};

/** A day (UTC) of a fleet: its hours with samples, oldest first. */
export type CapacityDay = { readonly startAt: number; readonly hours: readonly CapacityHour[] };

/** A fleet at one moment: devices that donate, and jobs that are ready and that run. `at`: ms epoch. */
export type CapacitySample = {
  readonly at: number;
  readonly devices: number;
  readonly ready: number;
  readonly running: number;
};

/** The days that a forecast is made from, today included. */
export const forecastDays = 42;

/** Adds a sample to the hours of its day. After the clock was set back, its hour need not be the last one. */
export function addSample(
  hours: readonly CapacityHour[],
  { at, devices, ready, running }: CapacitySample,
): CapacityHour[] {
  const startAt = bucketOf(at, spans.hour);
  const hour = hours.find((each) => each.startAt === startAt) ?? emptyHour(startAt);
  const isBusy = ready > 0 && running > 0;
  const added = {
    startAt,
    samples: hour.samples + 1,
    devices: hour.devices + devices,
    busyDevices: hour.busyDevices + (isBusy ? devices : 0),
    busyJobs: hour.busyJobs + (isBusy ? running : 0),
  };
  return [...hours.filter((each) => each !== hour), added].sort((a, b) => a.startAt - b.startAt);
}

function emptyHour(startAt: number): CapacityHour {
  return { startAt, samples: 0, devices: 0, busyDevices: 0, busyJobs: 0 };
}

/** Fewer samples with ready jobs say too little. */
const leastBusyDevices = 30;

/** The mean number of jobs that a donating device runs at once while jobs are ready. 1 while that is not known. */
export function jobsPerDevice(days: readonly CapacityDay[]): number {
  const hours = days.flatMap((day) => day.hours);
  const devices = hours.reduce((sum, hour) => sum + hour.busyDevices, 0);
  const jobs = hours.reduce((sum, hour) => sum + hour.busyJobs, 0);
  return devices < leastBusyDevices || jobs === 0 ? 1 : jobs / devices;
}

/** The days as if only a share of the devices had donated. The jobs that each ran at once stay the same. */
export function daysOfShare(days: readonly CapacityDay[], share: number): CapacityDay[] {
  return days.map(({ startAt, hours }) => ({
    startAt,
    hours: hours.map((hour) => ({ ...hour, devices: share * hour.devices })),
  }));
}

/** The device hours that a fleet donated from one moment to another, as far as they were sampled. */
export function donatedHours(days: readonly CapacityDay[], from: number, to: number): number {
  return sharesOf(days, from, to).reduce((sum, { devices, hours }) => sum + devices * hours, 0);
}

/** The mean number of donating devices from one moment to another. Null: no samples. */
export function meanDevices(days: readonly CapacityDay[], from: number, to: number): number | null {
  const shares = sharesOf(days, from, to);
  const sampled = shares.reduce((sum, { hours }) => sum + hours, 0);
  return sampled === 0
    ? null
    : shares.reduce((sum, { devices, hours }) => sum + devices * hours, 0) / sampled;
}

/** The sampled hours between two moments: the mean of their devices, and how much of the hour is between them. */
function sharesOf(days: readonly CapacityDay[], from: number, to: number) {
  return days
    .filter(({ startAt }) => startAt < to && startAt + spans.day > from)
    .flatMap((day) => day.hours)
    .map(({ startAt, samples, devices }) => ({
      devices: devices / samples,
      hours: Math.max(0, Math.min(to, startAt + spans.hour) - Math.max(from, startAt)) / spans.hour,
    }))
    .filter(({ hours }) => hours > 0);
}
