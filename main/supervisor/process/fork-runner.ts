import { fork } from "node:child_process";
import { hastenEnd } from "../../runner/process/priority.ts";
import { runnerWrapper } from "./linux-wrappers.ts";
import type { RunnerChild, SpawnRunner } from "./runner-child.ts";

/**
 * Starts the runner as a child of plain Node, or of Electron as plain Node. `entry` is the path of runner-process.
 * Its stdout is dropped; its stderr is ours, for crashes of the native library.
 */
export function forkRunner(entry: string): SpawnRunner {
  return (env): RunnerChild => {
    const [wrapper, ...wrapperArgs] = runnerWrapper();
    const child = fork(entry, [], {
      ...(wrapper === undefined
        ? { execPath: process.execPath, execArgv: [] }
        : { execPath: wrapper, execArgv: [...wrapperArgs, process.execPath] }),
      // On Linux a session of its own: the scheduler shares the processor among sessions first (see priority.ts).
      detached: process.platform === "linux",
      env: { ...process.env, ...env, ELECTRON_RUN_AS_NODE: "1" },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    return {
      pid: child.pid,
      send: (message) => {
        // A channel that just closed is reported by `exit`; an error here would say it twice.
        if (child.connected) child.send(message, () => undefined);
      },
      kill: () => {
        if (child.kill("SIGKILL") && child.pid !== undefined) hastenEnd(child.pid);
      },
      onMessage: (listener) => void child.on("message", listener),
      onExit: (listener) => {
        let told = false;
        const tell = (code: number | null, signal: string | null): void => {
          if (told) return;
          told = true;
          listener({ code, signal });
        };
        child.once("exit", tell);
        child.once("error", () => tell(null, null));
      },
    };
  };
}
