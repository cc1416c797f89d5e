import { readdirSync, readFileSync } from "node:fs";
import { loadLibc } from "./libc.ts";

/**
 * Ends a process of Chromium that this program does not use. On Linux Chromium has two zygotes, processes from which it makes others
 * quickly. One makes those without a sandbox, for the GPU and the network, which are threads here (`spareMemory`). The window's page
 * comes from the other one. Chromium's switch against it works only in the command that starts the program.
 */
export function endUnusedZygote(): void {
  for (const pid of children()) {
    if (!commandOf(pid).includes("--no-zygote-sandbox")) continue;
    process.kill(pid, "SIGKILL");
    // Nobody else waits for its end, and until then it stays in the list of processes.
    loadLibc().func("int waitpid(int pid, void *status, int options)")(pid, null, 0);
  }
}

function children(): readonly number[] {
  return readdirSync("/proc/self/task").flatMap((task) =>
    (read(`/proc/self/task/${task}/children`) ?? "").split(" ").filter(Boolean).map(Number),
  );
}

function commandOf(pid: number): string {
  return read(`/proc/${String(pid)}/cmdline`) ?? "";
}

/** Null if the process or thread has ended. */
function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
