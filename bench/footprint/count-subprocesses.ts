import childProcess from "node:child_process";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Loaded into a program before its own code (`--import`). Writes a line for each process that the program starts, to
 * the file that GLEANER_BENCH_SUBPROCESSES names.
 */
const file = process.env["GLEANER_BENCH_SUBPROCESSES"];

if (file !== undefined) {
  const started = (name: string): void => appendFileSync(file, `${name}\n`);
  // All asynchronous functions call this.
  const prototype = childProcess.ChildProcess.prototype as unknown as {
    spawn: (this: unknown, options: { readonly file?: string }) => unknown;
  };
  const spawn = prototype.spawn;
  prototype.spawn = function (options) {
    started(String(options.file));
    return spawn.call(this, options);
  };
  for (const name of ["spawnSync", "execFileSync", "execSync"] as const) {
    const original = childProcess[name] as (...args: unknown[]) => unknown;
    Object.assign(childProcess, {
      [name]: (command: unknown, ...rest: unknown[]) => {
        started(String(command));
        return original(command, ...rest);
      },
    });
  }
  syncBuiltinESMExports();
}
