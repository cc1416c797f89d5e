import { executions } from "./execution.ts";
import { formatLogLine } from "./log-lines.ts";

let isInstalled = false;

/**
 * Keeps a promise that a function forgot to await from ending the process when it is rejected: it is logged
 * with the function's lines. Rejections of the process's own code stay fatal.
 */
export function installRejectionGuard(): void {
  if (isInstalled) return;
  isInstalled = true;
  process.on("unhandledRejection", (reason) => {
    const execution = executions.getStore();
    if (execution === undefined) throw reason;
    execution.context.logs.add(formatLogLine("WARN", ["Unhandled promise rejection:", reason]));
  });
}
