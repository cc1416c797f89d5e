import type { Bar } from "../support/bars.ts";

/** The cost of an idle donor. MB are 10^6 bytes. Rates are averages over two minutes. */
export type Footprint = {
  /** Proportional set size of its processes. */
  readonly restMb: number;
  /** Of one core. */
  readonly cpuPercent: number;
  readonly contextSwitchesPerSecond: number;
  readonly subprocessesPerMinute: number;
  /** To and from the backend. */
  readonly bytesPerMinute: number;
};

export function footprintBars(figures: Footprint): readonly Bar[] {
  const { restMb, cpuPercent, subprocessesPerMinute } = figures;
  return [
    { text: "memory at rest: at most 90 MB", value: `${restMb} MB`, met: restMb <= 90 },
    { text: "at most 0.2 % of one core", value: `${cpuPercent} %`, met: cpuPercent <= 0.2 },
    {
      text: "at most one subprocess a minute",
      value: String(subprocessesPerMinute),
      met: subprocessesPerMinute <= 1,
    },
  ];
}
