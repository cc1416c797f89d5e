import type { Doc } from "../builders.ts";
import type { Priority } from "../validators.ts";

/** 0 high, 1 normal, 2 low. */
export const priorities = [0, 1, 2] as const;

const ofPriority: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

export function priorityNumber(priority: Priority = "normal"): number {
  return ofPriority[priority];
}

/** The levels at which a lane may have jobs: most lanes have ever had one, and looking at others costs a read each. */
export function prioritiesIn(lane: Pick<Doc<"lanes">, "levels">): readonly number[] {
  return lane.levels ?? priorities;
}

/** Every so many turns the order is another, so that nothing starves. */
const cycle = 8;

const highFirst = [0, 1, 2] as const;

const normalFirst = [1, 2, 0] as const;

const lowFirst = [2, 1, 0] as const;

/**
 * The order in which a worker looks at the levels (0 high, 1 normal, 2 low): from high to low, but each 8th turn one of
 * the lower ones first, by turns. So low and normal have at least a sixteenth of the work each.
 * @param turn counts the worker's searches.
 */
export function priorityOrder(turn: number): readonly number[] {
  if (turn % cycle !== cycle - 1) return highFirst;
  return turn % (2 * cycle) === cycle - 1 ? lowFirst : normalFirst;
}

/** Whether the lanes that a worker is not used to come first: each 8th turn, though not when the levels turn, too. */
export function othersFirst(turn: number): boolean {
  return turn % cycle === 3;
}
