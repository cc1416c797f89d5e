import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OwnGpuUse } from "../base/own-use.ts";
import { treeOf } from "../base/tree.fixture.ts";

/** An output of a system's program or file, put together from published ones. */
export function recorded(name: string): string {
  return readFileSync(join(import.meta.dirname, "recorded", name), "utf8");
}

/** Our processes, as the sensors see them. `runner.alive` says whether one of them is a runner. */
export function ours(...pids: readonly number[]): OwnGpuUse & { alive: boolean } {
  return {
    alive: true,
    isRunning() {
      return this.alive;
    },
    processes: () => new Set(pids),
  };
}

/** A program that stays, like `nvidia-smi` with an interval, or ends, and writes down how it was started. */
export function programOf(script: string): {
  readonly program: string;
  readonly starts: () => readonly string[];
} {
  const head = `#!${process.execPath}\nconst args = process.argv.slice(2).join(" ");
require("node:fs").appendFileSync(__dirname + "/starts", args + "\\n");\n`;
  const folder = treeOf({ "program.cjs": head + script, starts: "" });
  const program = join(folder, "program.cjs");
  chmodSync(program, 0o755);
  const starts = (): readonly string[] =>
    readFileSync(join(folder, "starts"), "utf8").split("\n").slice(0, -1);
  return { program, starts };
}
