import type { Bar } from "../support/bars.ts";

export type RequestFigures = {
  /** Milliseconds from a streamed call to its first token, beside the queue's time until the device began. */
  readonly ttftOverheadP50: number;
  /** Milliseconds from a call to its whole answer, beside the queue's time from the submission to the end. */
  readonly overheadP50: number;
  /** Runs of functions during a streamed call of a minute. */
  readonly callsPerStreamedMinute: number;
  /** Runs of functions while a call waits for a device for a minute. */
  readonly callsPerWaitingMinute: number;
  readonly batchLinesPerSecond: number;
  /** Growth of the backend's resident memory after 200 MB went in and out as files, in MB of 10^6 bytes. */
  readonly memoryGrowthMb: number;
  /** The same at most, while they move. */
  readonly memoryPeakMb: number;
};

export function requestBars(figures: RequestFigures): readonly Bar[] {
  const atMost = (text: string, value: number, most: number): Bar => ({
    text: `${text}: at most ${most}`,
    value: String(value),
    met: value <= most,
  });
  return [
    atMost("ms of a whole call beside the queue's own time, p50", figures.overheadP50, 40),
    atMost("runs of functions in a streamed minute", figures.callsPerStreamedMinute, 240),
    atMost("runs of functions in a waiting minute", figures.callsPerWaitingMinute, 30),
    atMost("MB of memory after 200 MB in and out", figures.memoryGrowthMb, 60),
    atMost("MB of memory at most, while they move", figures.memoryPeakMb, 60),
  ];
}
