import { type Priority, priority } from "../../shared/validators.ts";
import type { Doc } from "./builders.ts";

/** Priorities as numbers: 0 high, 1 normal, 2 low. Stored as a job's `level` and a lane's `levels`. */
export const priorities = [0, 1, 2] as const;

const names: readonly Priority[] = priority.members.map(({ value }) => value);

export function priorityNumber(name: Priority = "normal"): number {
  return names.indexOf(name);
}

export function priorityName(number: number): Priority {
  return names[number] ?? "normal";
}

/** The priorities that jobs of this lane have had. Most lanes have had one, and each priority costs a read. */
export function prioritiesIn(lane: Pick<Doc<"lanes">, "levels">): readonly number[] {
  return lane.levels ?? priorities;
}

/** The order changes once in this many turns, so that no priority starves. */
const cycle = 8;

const highFirst = [0, 1, 2] as const;
const normalFirst = [1, 2, 0] as const;
const lowFirst = [2, 1, 0] as const;

/**
 * The order in which a worker tries the priorities: high first. In every 8th turn low or normal comes first,
 * alternately, so each of them gets at least a sixteenth of the work.
 * @param turn counts the worker's searches.
 */
export function priorityOrder(turn: number): readonly number[] {
  if (turn % cycle !== cycle - 1) return highFirst;
  return turn % (2 * cycle) === cycle - 1 ? lowFirst : normalFirst;
}

/**
 * Whether the worker's other lanes come before its usual lane. That is every 8th turn, but never a turn in which the
 * priorities change their order.
 */
export function othersFirst(turn: number): boolean {
  return turn % cycle === 3;
}
