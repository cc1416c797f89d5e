import { totalmem } from "node:os";
import { readText } from "../../sensors/read-file.ts";

/**
 * Bytes that the cgroup of this process may still take, on Linux. Null where it has no limit below the machine's memory.
 * What the kernel caches for it is charged to it, and gives way: a model's file that was just verified would else leave
 * no room for the model.
 */
export function memoryLeftInGroup(): number | null {
  const limit = process.constrainedMemory();
  if (limit <= 0 || limit >= totalmem()) return null;
  const stat = readGroupStat(readText("/proc/self/cgroup") ?? "");
  return Math.max(0, Math.min(limit, process.availableMemory() + cachedBytes(stat)));
}

/** The group's memory.stat, where libuv looks for its limits, too. In a container its own group is the root. */
function readGroupStat(cgroup: string): string {
  const paths = memoryStatPaths(cgroup);
  return paths.map(readText).find((text) => text !== null) ?? "";
}

/** By /proc/self/cgroup (cgroups(7)): the unified hierarchy, and the old one of the memory controller. */
export function memoryStatPaths(cgroup: string): readonly string[] {
  const old = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(cgroup)?.[1];
  if (old !== undefined) {
    return [old, ""].map((group) => `/sys/fs/cgroup/memory${group}/memory.stat`);
  }
  const unified = /^0::(\/.*)$/m.exec(cgroup)?.[1] ?? "";
  return [`/sys/fs/cgroup${unified}/memory.stat`];
}

/** Files' pages in a memory.stat; the old hierarchy's names for what a group holds with all below it begin with "total_". */
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
