import type { RolloutPace, Stage } from "./stages.ts";

/** The devices of a stage, those of earlier stages included, by what became of the model on them. */
export type StageCounts = { readonly downloading: number; readonly ready: number; readonly failed: number };

export const noDevices: StageCounts = { downloading: 0, ready: 0, failed: 0 };

type Progress = {
  readonly stages: readonly Stage[];
  /** The present stage, from 0. */
  readonly stage: number;
  /** Start of the stage, in ms since the epoch. */
  readonly stageAt: number;
  readonly pace: RolloutPace;
  /** Failed devices that a person has accepted by continuing. */
  readonly accepted: number;
};

export type NextStep =
  /** Too few devices are ready. */
  | { readonly kind: "wait-ready"; readonly ready: number; readonly needed: number }
  | { readonly kind: "wait-time"; readonly until: number }
  /** The stage is healthy, and an administrator starts the next one. */
  | { readonly kind: "wait-person" }
  | { readonly kind: "advance"; readonly to: number }
  | { readonly kind: "finish" }
  | { readonly kind: "stop"; readonly failed: number; readonly of: number };

/** Decides how a running roll-out goes on, from the counts of its present stage. Pure. */
export function nextStep(
  { stages, stage, stageAt, pace, accepted }: Progress,
  counts: StageCounts,
  now: number,
): NextStep {
  const expected = stages[stage]?.expected ?? 0;
  const { ready, failed, downloading } = counts;
  const of = Math.max(expected, ready + failed + downloading);
  if ((failed - accepted) * 100 > of * pace.failedPercent) return { kind: "stop", failed, of };
  const needed = Math.max(1, Math.ceil((expected * pace.readyPercent) / 100));
  if (ready < needed) return { kind: "wait-ready", ready, needed };
  const isLast = stage >= stages.length - 1;
  if (pace.byHand && !isLast) return { kind: "wait-person" };
  const until = stageAt + pace.minMinutes * 60_000;
  if (now < until) return { kind: "wait-time", until };
  return isLast ? { kind: "finish" } : { kind: "advance", to: stage + 1 };
}

/** The counts of a stage with those of the stages before it. */
export function countsUpTo(byStage: readonly StageCounts[], stage: number): StageCounts {
  return byStage.slice(0, stage + 1).reduce(
    (sum, counts) => ({
      downloading: sum.downloading + counts.downloading,
      ready: sum.ready + counts.ready,
      failed: sum.failed + counts.failed,
    }),
    noDevices,
  );
}
