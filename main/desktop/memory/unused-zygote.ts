import { readdirSync, readFileSync } from "node:fs";
import { loadLibc } from "./libc.ts";

/** WNOHANG, waitpid(2). */
const doNotWait = 1;
const endsWithinMs = 1_000;

/**
 * Ends a process of Chromium that this program does not use. On Linux Chromium has two zygotes, processes from which it makes others
 * quickly. One makes those without a sandbox, for the GPU and the network, which are threads here (`spareMemory`). The window's page
 * comes from the other one. Chromium's switch against it works only in the command that starts the program.
 */
export function endUnusedZygote(): void {
  const unused = children().filter((pid) => commandOf(pid).includes("--no-zygote-sandbox"));
  if (unused.length === 0) return;
  const wait = loadLibc().func("int waitpid(int pid, void *status, int options)");
  for (const pid of unused) {
    process.kill(pid, "SIGKILL");
    // Nobody else asks for its end, and until then it stays in the list of processes.
    setTimeout(() => void wait(pid, null, doNotWait), endsWithinMs);
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
