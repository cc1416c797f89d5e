import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { systemProgram } from "../../system-programs.ts";

/**
 * The processors on which a process may run. Beside somebody at work, all its threads keep to the last few processors.
 * If they moved about, they would take the cache of each: a task of 8 ms every 50 ms then took 13 % longer, instead of
 * 8 %. Needs Linux and taskset(1); otherwise the system chooses as before.
 */
export class CpuAffinity {
  readonly #pid: () => number | undefined;
  #all: string | null = null;
  #wanted: string | null = null;
  #set: string | null = null;
  #setting = false;

  /** @param pid the process. It may become known, or change, only after the start. */
  constructor(pid: () => number | undefined) {
    this.#pid = pid;
  }

  /** @param count null: all processors that the process started with. */
  keepTo(count: number | null): void {
    const pid = this.#pid();
    if (process.platform !== "linux" || pid === undefined) return;
    if (count === null && this.#wanted === null) return;
    this.#all ??= allowedProcessors(pid);
    if (this.#all === null) return;
    this.#wanted = count === null ? this.#all : lastOf(this.#all, count);
    this.#apply(pid);
  }

  /** One call of taskset at a time. The last wanted list holds. */
  #apply(pid: number): void {
    const list = this.#wanted;
    if (this.#setting || list === null || list === this.#set) return;
    this.#setting = true;
    this.#set = list;
    const over = (): void => {
      this.#setting = false;
      this.#apply(pid);
    };
    spawn(systemProgram("taskset"), ["-acp", list, String(pid)], { stdio: "ignore" })
      .once("error", over)
      .once("exit", over);
  }
}

/** The last `count` numbers of a list such as "0-3,8". On hybrid processors those are the efficient cores. */
export function lastOf(list: string, count: number): string {
  const numbers = list.split(",").flatMap((range) => {
    const [from = 0, to = from] = range.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  return numbers.slice(-Math.max(1, count)).join(",");
}

function allowedProcessors(pid: number): string | null {
  try {
    return /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? null;
  } catch {
    return null;
  }
}
