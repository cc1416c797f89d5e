import type { Readable } from "node:stream";
import { app, utilityProcess } from "electron";
import { confinementOrder } from "../../app/contract/runner-start.ts";
import { PrintedChecks } from "../supervisor/process/failed-check.ts";
import type { RunnerChild, SpawnRunner } from "../supervisor/process/runner-child.ts";
import { runnerEnvironment } from "../supervisor/process/runner-environment.ts";

/** Starts the runner as one of Electron's utility processes. `entry` is the built runner-process.js. */
export function utilityRunner(entry: string): SpawnRunner {
  return (env = {}): RunnerChild => {
    const child = utilityProcess.fork(entry, [], {
      serviceName: "Gleaner runner",
      env: { ...runnerEnvironment(process.env, process.platform, confinementOrder(env).cache), ...env },
      // It may print a request's text, so nothing of it is passed on, except for the place of a failed check.
      stdio: ["ignore", "ignore", "pipe"],
    });
    const checks = child.stderr === null ? null : new PrintedChecks(child.stderr as Readable);
    return {
      get pid() {
        return child.pid;
      },
      residentMb: () => residentMb(child.pid),
      send: (message) => child.postMessage(message),
      kill: () => {
        // child.kill() sends SIGTERM, which native threads ignore during a prefill.
        if (child.pid !== undefined) process.kill(child.pid, "SIGKILL");
      },
      onMessage: (listener) => void child.on("message", listener),
      onExit: (listener) =>
        void child.once("exit", (code) =>
          listener({ code, signal: null, failedCheck: checks?.last ?? null }),
        ),
    };
  };
}

/** Electron reports working sets in KiB on every system. */
function residentMb(pid: number | undefined): number | null {
  const metrics = app.getAppMetrics().find((each) => each.pid === pid);
  return metrics === undefined ? null : metrics.memory.workingSetSize / 1_024;
}
