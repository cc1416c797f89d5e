import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Where a process may run. Beside somebody at work it keeps to a few processors, the last ones, for all of its threads:
 * moving about it would take the caches of each (a task of 8 ms that began every 50 ms took 13 % longer, and so 8 %).
 * Linux, by taskset(1); without it, and elsewhere, the system goes on choosing.
 */
export class Processors {
  readonly #pid: number | undefined;
  #all: string | null = null;
  #wanted: string | null = null;
  #set: string | null = null;
  #setting = false;

  constructor(pid: number | undefined) {
    this.#pid = pid;
  }

  /** @param count null: all that it began with. */
  keepTo(count: number | null): void {
    if (process.platform !== "linux" || this.#pid === undefined) return;
    if (count === null && this.#wanted === null) return;
    this.#all ??= allowedOf(this.#pid);
    if (this.#all === null) return;
    this.#wanted = count === null ? this.#all : lastOf(this.#all, count);
    this.#apply(this.#pid);
  }

  /** One after the other: the last wish holds. */
  #apply(pid: number): void {
    const list = this.#wanted;
    if (this.#setting || list === null || list === this.#set) return;
    this.#setting = true;
    this.#set = list;
    const over = (): void => {
      this.#setting = false;
      this.#apply(pid);
    };
    spawn("taskset", ["-acp", list, String(pid)], { stdio: "ignore" })
      .once("error", over)
      .once("exit", over);
  }
}

/** The last so many of the system's numbers in a list such as "0-3,8": on hybrid processors those are the small ones. */
export function lastOf(list: string, count: number): string {
  const numbers = list.split(",").flatMap((range) => {
    const [from = 0, to = from] = range.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  return numbers.slice(-Math.max(1, count)).join(",");
}

function allowedOf(pid: number): string | null {
  try {
    return /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? null;
  } catch {
    return null;
  }
}
