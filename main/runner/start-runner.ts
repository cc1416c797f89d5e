import { confineProcess } from "./confine/confine.ts";
import { resolveCudaIn } from "./load/cuda-packages.ts";
import { forbidCrashReports } from "./process/crash-reports.ts";
import { answerLibraryTest } from "./process/no-children.ts";
import { findParentPort } from "./process/parent-port.ts";
import { lowerProcessPriority } from "./process/priority.ts";

/**
 * Confines this process, and then serves the donor that started it.
 * @param entry the program's file, as an absolute path.
 * @param mostLandlock for tests: a version of Linux' Landlock, as if the kernel were older.
 */
export async function startRunner(entry: string, mostLandlock?: number): Promise<void> {
  const port = findParentPort();
  if (port === null) {
    process.stderr.write("This is Gleaner's runner; the donor program starts it.\n");
    process.exitCode = 64;
    return;
  }
  lowerProcessPriority();
  forbidCrashReports();
  const confinement = confineProcess(entry, mostLandlock);
  // llama.cpp would start a debugger at a failed check, which prints the memory of the process.
  process.env["GGML_NO_BACKTRACE"] = "1";
  resolveCudaIn(process.env["GLEANER_CUDA"]);
  answerLibraryTest();
  // node-llama-cpp prints there which of its builds are missing, of which the donor's log tells.
  console.error = () => undefined;
  // On Linux the program comes here only at its second start, so the first one loads nothing large.
  const { serveDonor } = await import("./serve-donor.ts");
  serveDonor(port, confinement);
}
