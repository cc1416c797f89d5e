import type { Doc } from "../builders.ts";
import type { Priority } from "../validators.ts";

/** 0 high, 1 normal, 2 low. */
export const levels = [0, 1, 2] as const;

const ofPriority: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

export function levelOf(priority: Priority = "normal"): number {
  return ofPriority[priority];
}

/** The levels at which a lane may have jobs: most lanes have ever had one, and looking at others costs a read each. */
export function levelsIn(lane: Pick<Doc<"lanes">, "levels">): readonly number[] {
  return lane.levels ?? levels;
}
