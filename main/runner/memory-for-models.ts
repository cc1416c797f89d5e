import { residentMb } from "./resident-memory.ts";

/** Left to everybody else, whatever the rules say. */
const leftFree = 0.15;

/** Bytes that a model may take: what is free now, with what the runner holds, less a share for everybody else. */
export function memoryForModels(runnerPid: number | undefined): number {
  const held = runnerPid === undefined ? 0 : (residentMb(runnerPid) ?? 0) * 2 ** 20;
  return Math.round((process.availableMemory() + held) * (1 - leftFree));
}
