import type { Bar } from "../support/bars.ts";
import type { Burst } from "./burst.ts";
import type { TickPrices } from "./ticks.ts";

/** The figures of a backend. Times are in ms, memory is in MB (10^6 bytes). bench/README.md explains each. */
export type Figures = {
  readonly mutationsPerSecond: number;
  readonly readMsAt1k: number;
  readonly readMsAt100k: number;
  readonly fanoutMs1000: number;
  readonly mutationMs: number;
  readonly mutationMsWith1000Subs: number;
  readonly coldStartMs: number;
  readonly restMb: number;
};

/** The figures of functions whose runs each have a world of their own. `queryMs` is the median. */
export type FreshWorld = { readonly mutationsPerSecond: number; readonly queryMs: number };

export type EmbeddedFigures = Figures & {
  readonly freshWorld: FreshWorld;
  readonly ticks: TickPrices;
  readonly burst: Burst;
};

export type PeerFigures = { readonly [Name in keyof Figures]: number | null } & {
  /** Explains missing figures, and caveats of others. */
  readonly notes: { readonly [Name in keyof Figures]?: string };
};

/** Code that is loaded once, buffers and pages that V8 has in part. A second burst adds nothing. */
const mostLeftMb = 40;

/** The promised bars, and whether these figures meet them. */
export function bars(figures: EmbeddedFigures, slowdown: number): readonly Bar[] {
  const { freshWorld, ticks, burst } = figures;
  const leftMb = burst.afterMb - burst.beforeMb;
  const dearest = Math.max(...Object.values(ticks));
  const ratio = figures.readMsAt100k / figures.readMsAt1k;
  return [
    {
      text: "durable mutations: at least 1,500/s",
      value: `${figures.mutationsPerSecond}/s`,
      met: figures.mutationsPerSecond >= 1_500,
    },
    {
      text: "a read at 100k rows: at most twice that at 1k",
      value: `${ratio.toFixed(2)} ×`,
      met: ratio <= 2,
    },
    {
      text: "1,000 unrelated subscriptions slow a mutation by less than 20 %",
      value: `${(slowdown * 100).toFixed(1)} %`,
      met: slowdown < 0.2,
    },
    {
      text: "the last of 1,000 subscribers notified within 500 ms",
      value: `${figures.fanoutMs1000} ms`,
      met: figures.fanoutMs1000 < 500,
    },
    { text: "at rest: at most 150 MB", value: `${figures.restMb} MB`, met: figures.restMb <= 150 },
    {
      text: "start with 100,000 documents: at most 3 s",
      value: `${figures.coldStartMs} ms`,
      met: figures.coldStartMs <= 3_000,
    },
    {
      text: "durable mutations with a fresh world each: at least 400/s",
      value: `${freshWorld.mutationsPerSecond}/s`,
      met: freshWorld.mutationsPerSecond >= 400,
    },
    {
      text: "a query with a fresh world: at most 4 ms",
      value: `${freshWorld.queryMs} ms`,
      met: freshWorld.queryMs <= 4,
    },
    {
      text: "a program with ticks: at most 1.3 times the time without",
      value: `${dearest.toFixed(2)} ×`,
      met: dearest <= 1.3,
    },
    {
      text: `after 1,000 waiting calls: at most ${mostLeftMb} MB more than before`,
      value: `${leftMb.toFixed(1)} MB`,
      met: leftMb <= mostLeftMb,
    },
  ];
}
