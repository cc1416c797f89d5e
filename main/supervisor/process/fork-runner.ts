import { fork, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { confinementOrder, keepsPriority } from "../../../app/contract/runner-start.ts";
import { systemProgram } from "../../system-programs.ts";
import { withoutCoreDumps, type Wrapper } from "./core-dumps.ts";
import { PrintedChecks } from "./failed-check.ts";
import { hurryExit } from "./hurry-exit.ts";
import { joinIdleGroup } from "./idle-group.ts";
import type { RunnerChild, SpawnRunner } from "./runner-child.ts";
import { runnerEnvironment } from "./runner-environment.ts";

/** A runner that has exited may have printed more than was read. Its exit is reported after this time at the latest. */
const lastWordsMs = 500;

/**
 * Starts the runner as a child of plain Node, or of Electron as plain Node. It may print a request's text, so nothing that
 * it prints is passed on, except for the place of a failed check.
 * @param entry the path of runner-process.
 */
export function forkRunner(entry: string): SpawnRunner {
  return (env = {}): RunnerChild => {
    prepareCuda();
    const [wrapper, ...wrapperArgs] = runnerWrapper();
    const child = fork(entry, [], {
      ...(wrapper === undefined
        ? { execPath: process.execPath, execArgv: [] }
        : { execPath: wrapper, execArgv: [...wrapperArgs, process.execPath] }),
      // A session of its own on Linux, since the scheduler shares the processor among sessions first.
      detached: process.platform === "linux",
      env: {
        ...runnerEnvironment(process.env, process.platform, confinementOrder(env).cache),
        ...env,
        ELECTRON_RUN_AS_NODE: "1",
      },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    if (child.pid !== undefined) joinIdleGroup(child.pid);
    const checks = child.stderr === null ? null : new PrintedChecks(child.stderr);
    let processes = child.pid === undefined ? [] : [child.pid];
    let killed = false;
    // The program speaks only when it is confined. From then on nothing in this tree of processes changes.
    child.once("message", () => (processes = processes.flatMap(withChildren)));
    return {
      get pid() {
        return processes.at(-1);
      },
      send: (message) => {
        // `exit` reports a closed channel. An error here would report it twice.
        if (child.connected) child.send(message, () => undefined);
      },
      kill: () => {
        killed = true;
        if (child.exitCode !== null || child.signalCode !== null) return;
        const own = processes.at(-1);
        // bubblewrap ends after the program in it, so its exit tells that the memory is free.
        if (own === undefined || own === child.pid || !killProcess(own)) child.kill("SIGKILL");
        processes.forEach(hurryExit);
      },
      onMessage: (listener) => void child.on("message", listener),
      onExit: (listener) => {
        let told = false;
        const tell = (code: number | null, signal: string | null): void => {
          if (told) return;
          told = true;
          listener({ code, signal, failedCheck: checks?.last ?? null });
        };
        // After a kill the caller needs the memory back at once, so it does not wait for printed text.
        child.once("exit", (code, signal) => {
          if (killed) tell(code, signal);
          else setTimeout(() => tell(code, signal), lastWordsMs).unref();
        });
        child.once("close", tell);
        child.once("error", () => tell(null, null));
      },
    };
  };
}

/**
 * A process and its descendants, if each has one child. bubblewrap is a process, its child is the first process of a
 * namespace, and the program is the child of that one. A program without bubblewrap has no children.
 */
function withChildren(pid: number): readonly number[] {
  if (process.platform !== "linux") return [pid];
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return /^\d+$/.test(children) ? [pid, ...withChildren(Number(children))] : [pid];
  } catch {
    return [pid];
  }
}

function killProcess(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

let triedCuda = false;

/**
 * CUDA starts a program with a root's rights to make the device through which it shares memory. A runner starts no
 * programs, so the donor does it, once. Without that program CUDA is passed over.
 */
function prepareCuda(): void {
  if (triedCuda || process.platform !== "linux") return;
  triedCuda = true;
  if (!existsSync("/proc/driver/nvidia/version") || existsSync("/dev/nvidia-uvm")) return;
  spawnSync(systemProgram("nvidia-modprobe"), ["-c=0", "-u"], { stdio: "ignore", timeout: 5_000 });
}

/** The kernel ends the runner when the donor ends, even in the middle of a native call. */
const boundToParent: Wrapper = ["setpriv", "--pdeathsig", "KILL"];

/** Programs of util-linux that lower a process before its first thread exists, so that all its threads are low. */
const lowered: readonly Wrapper[] = [
  ["ionice", "-c", "3"],
  ["nice", "-n", "19"],
  // The last one: under this policy a process runs only when no other wants the processor.
  ["chrt", "--idle", "0"],
];

let usable: readonly string[] | null = null;

/** The command line in front of the runner's; empty if none of these programs works. They are tried once. */
export function runnerWrapper(): readonly string[] {
  if (process.platform !== "linux") return [];
  const wanted = [boundToParent, withoutCoreDumps, ...(keepsPriority(process.env) ? [] : lowered)].map(
    ([name, ...args]): readonly string[] => [systemProgram(name), ...args],
  );
  return (usable ??= wanted.filter(works).flat());
}

/** A container may forbid what such a program does. Then the runner starts without it. */
function works([command = "", ...args]: readonly string[]): boolean {
  const { status } = spawnSync(command, [...args, systemProgram("true")], {
    stdio: "ignore",
    timeout: 2_000,
  });
  return status === 0;
}
