import type { RunnerExit } from "./runner-child.ts";

/**
 * Why the supervisor ends a process. A process that exits without a reason has crashed, or something else killed it.
 * `flood`: it sent more than a runner ever does.
 */
export type EndReason = "abort" | "yield" | "rest" | "silence" | "memory" | "flood";

/** Whether the exit was wanted. Then the next job may start at once. */
export function isOrderly(reason: EndReason | null): boolean {
  return reason === "abort" || reason === "yield" || reason === "rest";
}

/** SIGKILL and SIGTERM, as exit codes of a shell and of Electron. */
const outsideCodes = [137, 9, 143, 15];
/** Windows' Task Manager and `taskkill` end a process with this code. Elsewhere it is Node's, after an exception. */
const endedOnWindows = 1;

/**
 * Whether something else ended the process: the system without memory, a shutdown, or a person. A native crash has other
 * signals and codes.
 */
export function isKilledFromOutside(
  { code, signal }: RunnerExit,
  platform: NodeJS.Platform = process.platform,
): boolean {
  if (signal !== null) return signal === "SIGKILL" || signal === "SIGTERM";
  if (platform === "win32") return code === endedOnWindows;
  return code !== null && outsideCodes.includes(code);
}
