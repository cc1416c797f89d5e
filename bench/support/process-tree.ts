import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in units of 10 ms: proc(5), sysconf(_SC_CLK_TCK). */
export const msPerTick = 10;

/** A process and its descendants, from /proc. Empty once it is gone. Only on Linux. */
export function treeOf(pid: number): readonly number[] {
  if (statFields(pid) === null) return [];
  const tree: number[] = [];
  const pending = [pid];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    tree.push(next);
    pending.push(...childrenOf(next));
  }
  return tree;
}

function childrenOf(pid: number): readonly number[] {
  return tasksOf(pid).flatMap((task) => {
    const text = read(`/proc/${pid}/task/${task}/children`) ?? "";
    return text.split(" ").filter(Boolean).map(Number);
  });
}

/** Processor time of these processes in ticks, including children that have ended. */
export function ticksOf(pids: readonly number[]): number {
  // utime, stime, cutime, cstime.
  return sum(pids, (pid) => (statFields(pid) ?? []).slice(11, 15).reduce((all, each) => all + each, 0));
}

/** Proportional set size of these processes, in MB (10^6 bytes). */
export function proportionalMb(pids: readonly number[]): number {
  return sum(pids, (pid) => (kilobytes(read(`/proc/${pid}/smaps_rollup`), "Pss") * 1024) / 1e6);
}

/** The context switches of all their threads so far. */
export function contextSwitchesOf(pids: readonly number[]): number {
  return sum(pids, (pid) =>
    sum(tasksOf(pid), (task) => {
      const status = read(`/proc/${pid}/task/${task}/status`) ?? "";
      const found = status.matchAll(/ctxt_switches:\s+(\d+)/g);
      return sum([...found], ([, count]) => Number(count));
    }),
  );
}

/** The kind of a process of Chromium, such as "renderer" or "gpu-process"; "main" for one without a kind. */
export function kindOf(pid: number): string {
  return /--type=([a-z-]+)/.exec(read(`/proc/${pid}/cmdline`) ?? "")?.[1] ?? "main";
}

function tasksOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/** The fields from the third one on. The second is the program's name in parentheses, which may contain anything. */
function statFields(pid: number): readonly number[] | null {
  const text = read(`/proc/${pid}/stat`);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // A zombie has ended. It neither runs nor holds memory.
  return fields[0] === "Z" ? null : fields.map(Number);
}

function kilobytes(text: string | null, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(text ?? "")?.[1] ?? 0);
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
