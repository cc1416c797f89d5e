import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { Access } from "./landlock.ts";
import type { PathRule } from "./paths.ts";

/**
 * bubblewrap starts a program in namespaces of its own: it sees only the files that are bound there, no network and no
 * other program. It needs no Landlock, but user namespaces, which some distributions forbid.
 */

/** Ways to bind a path, the weakest first. Only --dev-bind lets devices be opened. */
const binds = ["--ro-bind", "--dev-bind", "--bind"] as const;
type Bind = (typeof binds)[number];

/**
 * The arguments of bwrap(1) in front of the program's own. The runner has a session of its own already, without a
 * terminal, so --new-session is missing: the new session would lose the low priority of the old one.
 * @param realPath the path without links; null if nothing is there.
 */
export function bubblewrapArguments(
  rules: readonly PathRule[],
  realPath: (path: string) => string | null = existing,
): readonly string[] {
  const found = new Map<string, Bind>();
  for (const { path, access } of rules) {
    const real = isOwnMount(path) ? null : realPath(path);
    if (real === null) continue;
    // A program may use either name, and a link is not followed out of what is bound.
    for (const each of [path, real]) found.set(each, stronger(found.get(each), bindOf(each, access)));
  }
  // A folder comes before its contents, which would be hidden otherwise.
  const sorted = [...found].sort(([one], [other]) => (one < other ? -1 : 1));
  const needed = sorted.filter(([path, bind]) => !isCovered(path, bind, found));
  return [
    ...["--unshare-user-try", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
    ...["--die-with-parent", "--cap-drop", "ALL"],
    ...needed.flatMap(([path, bind]) => [bind, path, path]),
    ...["--proc", "/proc", "--remount-ro", "/", "--chdir", "/"],
  ];
}

/** A start of Node takes 50 ms. At the lowest priority on a busy computer it takes much longer. */
const longestTrialMs = 30_000;

/**
 * Starts the runner's own program in bubblewrap for a moment.
 * @returns null if that works, else the reason, for the donor's person.
 */
export function tryBubblewrap(bubblewrap: string, args: readonly string[]): string | null {
  const { status, error, stderr } = spawnSync(bubblewrap, [...args, process.execPath, "--version"], {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    timeout: longestTrialMs,
  });
  if (status === 0) return null;
  const said = (error?.message ?? stderr).split("\n")[0]?.replace(/[^\x20-\x7e]/g, "") ?? "";
  return `bubblewrap does not work here (${said.slice(0, 120) || `status ${status}`})`;
}

/** /proc shows only the programs of the same namespace, so all of it may be seen. */
function isOwnMount(path: string): boolean {
  return path === "/proc" || path.startsWith("/proc/");
}

function bindOf(path: string, access: Access): Bind {
  if (access === "write") return "--bind";
  // The folder with the graphics cards is only listed; each allowed card has a rule of its own.
  if (access === "device" || path === "/dev/random" || path === "/dev/urandom") return "--dev-bind";
  return "--ro-bind";
}

function stronger(one: Bind | undefined, other: Bind): Bind {
  return one !== undefined && binds.indexOf(one) > binds.indexOf(other) ? one : other;
}

/** Whether a folder above is bound in the same way. */
function isCovered(path: string, bind: Bind, found: ReadonlyMap<string, Bind>): boolean {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    const way = found.get(above);
    if (way !== undefined) return way === bind;
  }
  return false;
}

function existing(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
