import type { Bar } from "../support/bars.ts";

/** The cost of the packaged desktop program. MB are 10^6 bytes. */
export type DesktopFigures = {
  /** From the start of the process until the desktop has its icon. */
  readonly trayMs: number;
  /** From the click on the icon until the window is visible. */
  readonly windowMs: number;
  /** Proportional set size of its processes, started without a window. */
  readonly restPssMb: number;
  /** The same with the window open. */
  readonly openPssMb: number;
  /** Of one core, without a window. */
  readonly cpuPercent: number;
  /** Voluntary and other context switches of all its threads, without a window. */
  readonly wakeupsPerSecond: number;
  readonly installedMb: InstalledSizes;
};

/** Parts of the installed program, in MB. */
export type InstalledSizes = {
  readonly total: number;
  /** Electron without its languages. */
  readonly electron: number;
  readonly locales: number;
  /** The program's own code. */
  readonly app: number;
  /** Native libraries, mostly llama.cpp. */
  readonly libraries: number;
};

export function desktopBars({ trayMs, windowMs, restPssMb, cpuPercent }: DesktopFigures): readonly Bar[] {
  return [
    { text: "tray icon: at most 1,500 ms", value: `${trayMs} ms`, met: trayMs <= 1_500 },
    { text: "window: at most 500 ms", value: `${windowMs} ms`, met: windowMs <= 500 },
    {
      text: "memory with the window closed: at most 120 MB",
      value: `${restPssMb} MB`,
      met: restPssMb <= 120,
    },
    { text: "at most 0.2 % of one core", value: `${cpuPercent} %`, met: cpuPercent <= 0.2 },
  ];
}
