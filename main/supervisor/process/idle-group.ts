import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keepsPriority } from "../../../app/contract/runner-start.ts";

/** All donors in a cgroup share this child group. */
export const idleGroupName = "gleaner-runner";

/** A cgroup of the cpu controller. `directory` holds its control files. */
type CpuGroup = { readonly version: 1 | 2; readonly directory: string };

/**
 * Finds a process's cpu group from its /proc/PID/cgroup and /proc/PID/mountinfo (cgroups(7), proc(5)). Null if no group
 * is visible, or if the process is in an idle group of ours already.
 */
export function cpuGroupOf(cgroup: string, mountinfo: string): CpuGroup | null {
  const memberships = cgroup.split("\n").flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    return controllers === undefined || path === undefined ? [] : [{ controllers, path }];
  });
  const v1 = memberships.find(({ controllers }) => controllers.split(",").includes("cpu"));
  // The controller is in one hierarchy at a time. If that is a version 1 hierarchy, version 2 lacks it.
  const membership = v1 ?? memberships.find(({ controllers }) => controllers === "");
  if (membership === undefined || membership.path.endsWith(`/${idleGroupName}`)) return null;
  const type = v1 === undefined ? "cgroup2" : "cgroup";
  const directories = mountinfo.split("\n").flatMap((line) => {
    const mount = parseMount(line);
    if (mount?.type !== type || (v1 !== undefined && !mount.options.includes("cpu"))) return [];
    const below = pathBelow(mount.root, membership.path);
    return below === null ? [] : [join(mount.point, below)];
  });
  // A later mount may cover an earlier one.
  const directory = directories.at(-1);
  return directory === undefined ? null : { version: v1 === undefined ? 2 : 1, directory };
}

function parseMount(line: string) {
  // The number of optional fields between the sixth field and the dash varies.
  const [before = "", after = ""] = line.split(" - ");
  const [, , , root, point] = before.split(" ").map(unescapeOctal);
  const [type, , options = ""] = after.split(" ");
  if (root === undefined || point === undefined || type === undefined) return null;
  return { root, point, type, options: options.split(",") };
}

/** The kernel writes blanks and some other characters as three octal digits. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}

/** Null if the path is not below the root, or is outside of the container's view. */
function pathBelow(root: string, path: string): string | null {
  if ([root, path].some((each) => each.split("/").includes(".."))) return null;
  if (root === "/" || root === path) return root === path ? "" : path;
  return path.startsWith(`${root}/`) ? path.slice(root.length) : null;
}

/**
 * Moves a runner that was just started into a group that is idle as a whole (`cpu.idle`, Linux 5.15): it runs when no
 * other group wants the processor. The group is a child of this process's own one, and no other group is touched. Most
 * users may not make groups; then only priorities hold the runner back.
 */
export function joinIdleGroup(pid: number): void {
  const own = ownGroup();
  if (own === null) return;
  const idle = join(own.directory, idleGroupName);
  try {
    mkdirSync(idle, { recursive: true });
    if (own.version === 2) shareProcessor(own, idle);
    writeExisting(join(idle, "cpu.idle"), "1");
    writeExisting(join(idle, "cgroup.procs"), String(pid));
  } catch {
    remove(own);
  }
}

/**
 * Moves a runner that was just killed back to this process's group. In an idle group it would free its memory much later
 * if all processors are busy. Blocks until the kernel is done, up to some milliseconds, so that the number cannot
 * belong to another process by then.
 */
export function leaveIdleGroup(pid: number): void {
  const own = ownGroup();
  if (own === null || !existsSync(join(own.directory, idleGroupName))) return;
  try {
    writeExisting(join(own.directory, "cgroup.procs"), String(pid));
  } catch {
    // It has exited already, or was never in the group.
  }
}

/** Removes the group if no runner is left in it. */
export function removeIdleGroup(): void {
  const own = ownGroup();
  if (own !== null) remove(own);
}

/**
 * In cgroup version 2, a group that holds processes, as ours does, may share the processor only with "threaded" groups.
 * These leave memory and everything else with their parent.
 */
function shareProcessor(own: CpuGroup, idle: string): void {
  writeExisting(join(idle, "cgroup.type"), "threaded");
  writeExisting(join(own.directory, "cgroup.subtree_control"), "+cpu");
}

function remove({ version, directory }: CpuGroup): void {
  try {
    rmdirSync(join(directory, idleGroupName));
    const hasGroups = readdirSync(directory, { withFileTypes: true }).some((entry) => entry.isDirectory());
    if (version === 2 && !hasGroups) writeExisting(join(directory, "cgroup.subtree_control"), "-cpu");
  } catch {
    // It was never made, or another donor uses it too.
  }
}

/** The group of this process. Null on systems other than Linux, and in tests that keep the runner's priority. */
function ownGroup(): CpuGroup | null {
  if (keepsPriority(process.env)) return null;
  try {
    return cpuGroupOf(
      readFileSync("/proc/self/cgroup", "utf8"),
      readFileSync("/proc/self/mountinfo", "utf8"),
    );
  } catch {
    return null;
  }
}

/** Never creates a file: the kernel creates all control files that it knows. */
function writeExisting(path: string, text: string): void {
  writeFileSync(path, text, { flag: "r+" });
}
