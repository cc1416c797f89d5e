import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../..");

/** Packs the built program for Linux with an Electron that is here. Returns the folder as it is installed. */
export async function packProgram(electronDist: string, output: string): Promise<string> {
  await promisify(execFile)(
    process.execPath,
    [
      join(root, "node_modules/electron-builder/cli.js"),
      ...["--linux", "dir", "--publish", "never"],
      ...[`-c.electronDist=${electronDist}`, `-c.directories.output=${output}`],
    ],
    { cwd: root, maxBuffer: 64 * 1024 * 1024 },
  );
  const unpacked = (await readdir(output)).find((name) => name.startsWith("linux"));
  if (unpacked === undefined) throw new Error(`electron-builder left no program in ${output}.`);
  return join(output, unpacked);
}
