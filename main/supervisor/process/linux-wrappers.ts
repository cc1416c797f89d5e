import { spawnSync } from "node:child_process";
import { keepsPriority } from "../../runner/process/priority.ts";

/**
 * Programs of util-linux that put what they start behind everybody else, before its first thread exists: so that all
 * of its threads are. And one that has the kernel end it with whoever started it, even in the middle of a native call.
 */
const bound = ["setpriv", "--pdeathsig", "KILL"];
const lowered: readonly (readonly string[])[] = [
  ["ionice", "-c", "3"],
  ["nice", "-n", "19"],
  // Last: it gives the process up to a policy in which it runs only when nobody else wants to.
  ["chrt", "--idle", "0"],
];

let usable: readonly string[] | null = null;

/** The command line to put in front of the runner's; empty where none of them works. Tried once, in some milliseconds. */
export function runnerWrapper(): readonly string[] {
  if (process.platform !== "linux") return [];
  return (usable ??= [bound, ...(keepsPriority ? [] : lowered)].filter(works).flat());
}

/** A container may hold the program back from what it is for: then the runner starts without it. */
function works([command = "", ...args]: readonly string[]): boolean {
  return spawnSync(command, [...args, "true"], { stdio: "ignore", timeout: 2_000 }).status === 0;
}
