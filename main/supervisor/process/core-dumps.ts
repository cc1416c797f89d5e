import { spawn } from "node:child_process";
import { type SystemProgram, systemProgram } from "../../system-programs.ts";

/** A program, with its arguments, that starts another one. */
export type Wrapper = readonly [SystemProgram, ...(readonly string[])];

/**
 * A core dump of a process that holds prompts would write them to disk. Below the size of a page the kernel writes none, and at
 * a limit of exactly 1 it passes none on to a program such as systemd-coredump either (fs/coredump.c). prlimit(1) is
 * part of util-linux. On macOS the system's own limit is 0.
 */
const noDumps = "--core=1:1";

/** The command in front of another one whose process leaves no core dumps. Linux only. */
export const withoutCoreDumps: Wrapper = ["prlimit", noDumps];

/** Forbids core dumps of this process and of those that it starts later. */
export function forbidCoreDumps(): void {
  if (process.platform !== "linux") return;
  spawn(systemProgram("prlimit"), ["--pid", String(process.pid), noDumps], { stdio: "ignore" }).once(
    "error",
    () => undefined,
  );
}
