import type { AttemptStatus } from "../jobs/states.ts";
import type { Activity } from "../policy/decision.ts";
import type { Known } from "../policy/facts.ts";
import type { Rules } from "../policy/rules.ts";

/** All that the panel shows. It boots from one snapshot, then takes changed top-level fields as deltas. */
export type DonorSnapshot = {
  readonly version: string;
  readonly platform: string;
  /** How this donor runs: with a tray and a window, or without. */
  readonly shell: "desktop" | "headless";
  readonly connection: "connecting" | "online" | "offline";
  readonly organization: { readonly name: string } | null;
  readonly device: { readonly id: string; readonly name: string } | null;
  readonly activity: Activity;
  readonly recheckAt: number | null;
  readonly pause: { readonly until: number | null } | null;
  readonly donateNowUntil: number | null;
  readonly rules: Rules;
  readonly facts: FactsView;
  readonly work: WorkView | null;
  readonly models: readonly ModelView[];
  readonly earnings: EarningsView | null;
  readonly history: readonly HistoryRow[];
};

export type FactsView = {
  readonly idleSeconds: Known<number>;
  readonly power: Known<"ac" | "battery">;
  readonly batteryPercent: Known<number>;
  readonly otherCpuLoad: Known<number>;
};

/** The job under way. `text` lives in memory only, and is gone when the job ends. */
export type WorkView = {
  readonly attemptId: string;
  readonly modelId: string;
  readonly startedAt: number;
  readonly phase: "loading" | "reading" | "writing";
  readonly text: string;
  readonly chunks: number;
};

export type ModelView = {
  readonly modelId: string;
  readonly sizeBytes: number;
  readonly state: "ready" | "missing" | "corrupt" | "verifying";
};

/** Micro-credits as decimal strings: JSON has no integers of that size. */
export type EarningsView = {
  readonly balanceMicro: string;
  readonly todayMicro: string;
  readonly jobsSucceeded: number;
};

export type HistoryRow = {
  readonly attemptId: string;
  readonly modelId: string;
  readonly status: AttemptStatus;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly earnedMicro: string;
  /** How the number came about, e.g. "38 prompt × 2 + 11 answer × 6". */
  readonly explanation: string;
};
