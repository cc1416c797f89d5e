import { execFile } from "node:child_process";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { InstalledSizes } from "./figures.ts";

const root = join(import.meta.dirname, "../..");

/** Packs the built program with an Electron that is here. Returns the folder as it is installed. */
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

export async function installedSizes(program: string): Promise<InstalledSizes> {
  const part = async (...path: string[]): Promise<number> => (await bytesOf(join(program, ...path))) / 1e6;
  const [total, locales, app, libraries, resources] = await Promise.all([
    part(),
    part("locales"),
    part("resources/app.asar"),
    part("resources/app.asar.unpacked"),
    part("resources"),
  ]);
  return { total, electron: total - locales - resources, locales, app, libraries };
}

/** The sizes of all files in a folder. A link counts as itself. */
async function bytesOf(path: string): Promise<number> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) return stats.size;
  const sizes = await Promise.all((await readdir(path)).map((name) => bytesOf(join(path, name))));
  return sizes.reduce((all, each) => all + each, 0);
}
