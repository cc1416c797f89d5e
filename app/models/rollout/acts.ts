import { assertNever } from "../../assert-never.ts";
import type { RolloutState } from "./device.ts";
import { sizeWords, type Stage } from "./stages.ts";

/** Acts of a person on a roll-out. "release": all devices at once, without further stages. In the last one it is done. */
export const rolloutActs = ["advance", "release", "pause", "continue", "stop", "roll-back", "undo"] as const;
export type RolloutAct = (typeof rolloutActs)[number];

/** It ended badly. It can go on, or another roll-out can take its place. */
export function isEnded(state: RolloutState): boolean {
  return state === "stopped" || state === "rolled-back";
}

/** How far a roll-out is. */
export type RolloutPlace = { readonly state: RolloutState; readonly stage: number };

type Rollout = RolloutPlace & {
  readonly stages: readonly Pick<Stage, "size">[];
  /** Before the last act of a person, as long as nothing happened since. */
  readonly previous?: RolloutPlace | undefined;
};

/** The place of a roll-out after an act. Null: the act is not possible now. */
export function afterAct({ state, stage, stages, previous }: Rollout, act: RolloutAct): RolloutPlace | null {
  const last = stages.length - 1;
  const isAmong = (...states: readonly RolloutState[]): boolean => states.includes(state);
  switch (act) {
    case "advance":
      return isAmong("running", "paused") && stage < last ? { state: "running", stage: stage + 1 } : null;
    case "release":
      if (!isAmong("running", "paused", "stopped", "rolled-back")) return null;
      return { state: isAmong("running", "paused") && stage === last ? "done" : "running", stage: last };
    case "pause":
      return isAmong("running") ? { state: "paused", stage } : null;
    case "continue":
      return isAmong("paused", "stopped", "rolled-back") ? { state: "running", stage } : null;
    case "stop":
      return isAmong("running", "paused") ? { state: "stopped", stage } : null;
    case "roll-back":
      return isAmong("running", "paused", "stopped") ? { state: "rolled-back", stage } : null;
    case "undo":
      return previous ?? null;
    default:
      return assertNever(act);
  }
}

const stateWords: Readonly<Record<RolloutState, string>> = {
  planning: "being planned",
  running: "running",
  paused: "paused",
  stopped: "stopped",
  "rolled-back": "rolled back",
  done: "done",
};

/** The place in words: "running, stage 2 of 4 (10%)". */
export function placeWords({ state, stage }: RolloutPlace, stages: Rollout["stages"]): string {
  const size = stages[stage]?.size;
  const which = size === undefined ? "" : ` (${sizeWords(size)})`;
  return `${stateWords[state]}, stage ${String(stage + 1)} of ${String(stages.length)}${which}`;
}
