import { freemem } from "node:os";
import type { Known } from "../../../app/facts/facts.ts";
import { runnerMemory } from "../../sensors/own-memory.ts";
import { memoryLeftInGroup } from "./memory-group.ts";

/** Left to everybody else, whatever the rules say. */
const leftFree = 0.15;
/** Where what we hold counts as others', more is left than the rules say: they would hold for our own model else. */
const uncountedMb = 256;

export type MemoryNow = {
  /** What the sensors found free, in MiB: believed where Node's own word leaves out what caches would give. */
  readonly found: Known<number>;
  /** What the rules leave free for others, in MiB. */
  readonly leaveMb: number;
  readonly runnerPid: number | undefined;
};

/**
 * Bytes that a model may take: what is free now, with what the runner would give back, less a share for everybody else.
 * Null where that cannot be told now: only Linux says what a runner holds.
 */
export function memoryForModels(
  { found, leaveMb, runnerPid }: MemoryNow,
  platform: NodeJS.Platform = process.platform,
): number | null {
  if (platform === "linux") return freeOnLinux(leaveMb, runnerPid);
  if (runnerPid !== undefined) return null;
  return leaving(found.known ? found.value * 2 ** 20 : freemem(), leaveMb + uncountedMb);
}

function leaving(free: number, leaveMb: number): number {
  return Math.max(0, Math.round(Math.min(free * (1 - leftFree), free - leaveMb * 2 ** 20)));
}

/**
 * A mapped model counts as free there already: its pages are a cache of its file. Of a limit that somebody set for our own
 * group nothing is left over: nobody else gets it.
 */
function freeOnLinux(leaveMb: number, runnerPid: number | undefined): number {
  const held = runnerMemory(() => runnerPid)();
  return Math.min(leaving(freemem() + held, leaveMb), (memoryLeftInGroup() ?? Infinity) + held);
}
