import { existsSync } from "node:fs";
import { tryBubblewrap } from "../../runner/confine/linux/bubblewrap.ts";
import { systemProgram } from "../../system-programs.ts";

export const bubblewrap = systemProgram("bwrap");

/** A part of a test's name: why the test is skipped, and how to run it. Empty if bubblewrap works here. */
export const withoutBubblewrap = reason();

function reason(): string {
  if (process.platform !== "linux") return ` (skipped: bubblewrap needs Linux, this is ${process.platform})`;
  if (!existsSync(bubblewrap)) return " (skipped: run apt-get install bubblewrap)";
  const failure = tryBubblewrap(bubblewrap, [
    "--unshare-pid",
    "--unshare-net",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
  ]);
  return failure === null ? "" : ` (skipped: allow user namespaces; ${failure})`;
}
