import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One name for all donors of a machine: they are behind everybody else together. */
export const idleGroupName = "gleaner-runner";

/** A cgroup that shares the processor; `directory` is where its files are. */
type CpuGroup = { readonly version: 1 | 2; readonly directory: string };

/**
 * Where a process's own cpu group is, by its /proc/PID/cgroup and /proc/PID/mountinfo (cgroups(7), proc(5)). Null where
 * none can be seen, and where the process is in an idle group of ours already.
 */
export function cpuGroupOf(cgroup: string, mountinfo: string): CpuGroup | null {
  const memberships = cgroup.split("\n").flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    return controllers === undefined || path === undefined ? [] : [{ controllers, path }];
  });
  const old = memberships.find(({ controllers }) => controllers.split(",").includes("cpu"));
  // The controller is in one hierarchy at a time: where it is in an old one, the new one does not have it.
  const membership = old ?? memberships.find(({ controllers }) => controllers === "");
  if (membership === undefined || membership.path.endsWith(`/${idleGroupName}`)) return null;
  const type = old === undefined ? "cgroup2" : "cgroup";
  const directories = mountinfo.split("\n").flatMap((line) => {
    const mount = parseMount(line);
    if (mount?.type !== type || (old !== undefined && !mount.options.includes("cpu"))) return [];
    const below = pathBelow(mount.root, membership.path);
    return below === null ? [] : [join(mount.point, below)];
  });
  // A later mount may cover an earlier one.
  const directory = directories.at(-1);
  return directory === undefined ? null : { version: old === undefined ? 2 : 1, directory };
}

function parseMount(line: string) {
  // Between the sixth field and the dash stand any number of optional ones.
  const [before = "", after = ""] = line.split(" - ");
  const [, , , root, point] = before.split(" ").map(unescapeOctal);
  const [type, , options = ""] = after.split(" ");
  if (root === undefined || point === undefined || type === undefined) return null;
  return { root, point, type, options: options.split(",") };
}

/** Blanks and the like are written as three octal digits. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}

/** Null where the path is not below the root, or outside of what a container may see. */
function pathBelow(root: string, path: string): string | null {
  if ([root, path].some((each) => each.split("/").includes("../.."))) return null;
  if (root === "/" || root === path) return root === path ? "" : path;
  return path.startsWith(`${root}/`) ? path.slice(root.length) : null;
}

/**
 * Puts this process, and all that it starts from now on, into a group that is idle as a whole (`cpu.idle`, Linux 5.15):
 * it runs when no other group wants to. The group is a child of the process's own one, and nobody else's is touched.
 * A refusal is no failure: most users may not make groups, and then priorities are what there is.
 */
export function joinIdleGroup(): void {
  const own = ownGroup();
  if (own === null) return;
  const idle = join(own.directory, idleGroupName);
  try {
    mkdirSync(idle, { recursive: true });
    if (own.version === 2) shareProcessor(own, idle);
    writeExisting(join(idle, "cpu.idle"), "1");
    writeExisting(join(idle, "cgroup.procs"), String(process.pid));
  } catch {
    remove(own);
  }
}

/**
 * Takes a runner that was just killed out of its group, back to where this process is: idle, it would free its memory
 * much later on a machine whose processors are all busy. Waits for the kernel, up to some milliseconds, so that
 * the number cannot be another process's by then.
 */
export function leaveIdleGroup(pid: number): void {
  const own = ownGroup();
  if (own === null || !existsSync(join(own.directory, idleGroupName))) return;
  try {
    writeExisting(join(own.directory, "cgroup.procs"), String(pid));
  } catch {
    // It has ended already, or was never in the group.
  }
}

/** For whoever started runners, at the end: the group goes if no runner is left in it. */
export function removeIdleGroup(): void {
  const own = ownGroup();
  if (own !== null) remove(own);
}

/**
 * In the unified hierarchy a group that has processes of its own, as ours has, may share the processor only with groups
 * of the same domain: "threaded" ones, which leave memory and all else with their parent.
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
    // It was never made, or is another donor's too.
  }
}

function ownGroup(): CpuGroup | null {
  try {
    return cpuGroupOf(
      readFileSync("/proc/self/cgroup", "utf8"),
      readFileSync("/proc/self/mountinfo", "utf8"),
    );
  } catch {
    return null;
  }
}

/** Control files are there from the start: what is not, the kernel does not know. */
function writeExisting(path: string, text: string): void {
  writeFileSync(path, text, { flag: "r+" });
}
