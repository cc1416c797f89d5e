import { limits } from "../checks/limits.ts";
import { executions } from "../execution/execution.ts";
import { describeThrown } from "../execution/function-failure.ts";
import { truncated } from "../execution/truncated.ts";
import type { StackMapper } from "../source/stack-trace.ts";

/** The mapper of the newest bundle: a process runs one bundle at a time. */
let mapStack: StackMapper | null = null;

/**
 * Keeps the process alive when a promise rejects that a function forgot to await. Logs the rejection with the
 * function's lines. Rejections of the backend's own code stay fatal.
 */
export function installRejectionGuard(mapper: StackMapper): void {
  const isInstalled = mapStack !== null;
  mapStack = mapper;
  if (!isInstalled) process.on("unhandledRejection", logLeftBehind);
}

function logLeftBehind(reason: unknown): void {
  const execution = executions.getStore();
  if (execution === undefined) throw reason;
  const { message } = describeThrown(reason, mapStack ?? (() => []));
  execution.context.logs.add(
    truncated(`[WARN] Unhandled promise rejection: ${message}`, limits.logLineBytes),
  );
}
