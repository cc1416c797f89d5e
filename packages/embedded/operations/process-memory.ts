import { spawn } from "node:child_process";
import type { Log } from "./log.ts";

/**
 * Forbids core dumps of this process, which holds the data of all requests. Below the size of a page Linux writes none, and at
 * a limit of exactly 1 it passes none on to a program such as systemd-coredump either (fs/coredump.c). prlimit(1) is
 * part of util-linux. On macOS the system's own limit is 0.
 */
export function forbidCoreDumps(): void {
  if (process.platform !== "linux") return;
  const args = ["--pid", String(process.pid), "--core=1:1"];
  spawn("prlimit", args, { stdio: "ignore" }).once("error", () => undefined);
}

/**
 * Logs an error that nobody caught by its name and frames, then calls `end`. Otherwise Node would print its message, which
 * may quote a request.
 */
export function logUncaught(log: Log, end: () => void): void {
  process.on("uncaughtException", (error: unknown) => {
    log.error("process.failed", { message: framesOf(error) });
    end();
  });
}

/** An error's name and stack, without its message. */
export function framesOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name, stack = "", message } = error;
  const frames = stack.slice(stack.indexOf(message) + message.length).match(/^ {4}at .*$/gm) ?? [];
  return [name, ...frames].join("\n");
}
