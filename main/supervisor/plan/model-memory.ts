import { freemem, totalmem } from "node:os";
import type { Known } from "../../../app/facts/facts.ts";
import { runnerMemory } from "../../sensors/base/own-use.ts";
import { readText } from "../../sensors/base/read-file.ts";

/** The share that stays free for other programs, whatever the rules say. */
const freeShare = 0.15;
/** Extra margin where our memory cannot be told from other programs'. */
const uncountedMb = 256;

export type MemoryNow = {
  /** Free memory by the sensors, in MiB. On macOS and Windows `freemem()` does not count caches as free. */
  readonly found: Known<number>;
  /** Memory that the rules leave free for other programs, in MiB. */
  readonly leaveMb: number;
  readonly runnerPid: number | undefined;
};

/**
 * Bytes that a model may take: the free memory and the runner's own, less a share for other programs. Null if unknown
 * while a runner exists: only Linux tells its memory.
 */
export function memoryForModels(
  { found, leaveMb, runnerPid }: MemoryNow,
  platform: NodeJS.Platform = process.platform,
): number | null {
  if (platform === "linux") return memoryOnLinux(leaveMb, runnerPid);
  if (runnerPid !== undefined) return null;
  return withoutShare(found.known ? found.value * 2 ** 20 : freemem(), leaveMb + uncountedMb);
}

function withoutShare(free: number, leaveMb: number): number {
  return Math.max(0, Math.round(Math.min(free * (1 - freeShare), free - leaveMb * 2 ** 20)));
}

/**
 * A mapped model counts as free here, because its pages are a cache of its file. A limit on our own cgroup is used
 * whole: no other program could use the rest.
 */
function memoryOnLinux(leaveMb: number, runnerPid: number | undefined): number {
  const held = runnerMemory(() => runnerPid)();
  return Math.min(withoutShare(freemem() + held, leaveMb), (memoryLeftInGroup() ?? Infinity) + held);
}

/**
 * Bytes that this process's cgroup may still take. Null if it has no limit below the machine's memory. Cached files
 * count as free: the kernel charges them to the group but drops them under pressure. Otherwise a model's file that was
 * just verified would leave no room for the model.
 */
function memoryLeftInGroup(): number | null {
  const limit = process.constrainedMemory();
  if (limit <= 0 || limit >= totalmem()) return null;
  const paths = memoryStatPaths(readText("/proc/self/cgroup") ?? "");
  const stat = paths.map(readText).find((text) => text !== null) ?? "";
  return Math.max(0, Math.min(limit, process.availableMemory() + cachedBytes(stat)));
}

/**
 * Paths of the group's memory.stat, from /proc/self/cgroup (cgroups(7)), in either version of the hierarchy. libuv looks
 * for its limits in the same places. In a container, the process's own group is the root.
 */
export function memoryStatPaths(cgroup: string): readonly string[] {
  const v1 = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(cgroup)?.[1];
  if (v1 !== undefined) {
    return [v1, ""].map((group) => `/sys/fs/cgroup/memory${group}/memory.stat`);
  }
  const v2 = /^0::(\/.*)$/m.exec(cgroup)?.[1] ?? "";
  return [`/sys/fs/cgroup${v2}/memory.stat`];
}

/** Cached file pages by a memory.stat. In version 1, names with "total_" include the groups below. */
export function cachedBytes(stat: string): number {
  const of = (name: string): number | null => {
    const found = new RegExp(`^${name} (\\d+)$`, "m").exec(stat)?.[1];
    return found === undefined ? null : Number(found);
  };
  return ["active_file", "inactive_file"].reduce(
    (sum, name) => sum + (of(`total_${name}`) ?? of(name) ?? 0),
    0,
  );
}
