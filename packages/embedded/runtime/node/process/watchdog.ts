import { workerData } from "node:worker_threads";
import { removeModulesNow } from "../modules-folder.ts";

/*
 * Ends its process when the backend has ended, in a thread of its own: the process's main thread may be in an endless loop, so
 * that it does not notice.
 */

const { backend, folder } = workerData as { readonly backend: number; readonly folder: string };
const lookEveryMs = 1_000;

setInterval(() => {
  if (isRunning()) return;
  removeModulesNow(folder);
  process.kill(process.pid, "SIGKILL");
}, lookEveryMs);

function isRunning(): boolean {
  // On Windows a process keeps the id of its parent.
  if (process.ppid !== backend) return false;
  try {
    process.kill(backend, 0);
    return true;
  } catch {
    return false;
  }
}
