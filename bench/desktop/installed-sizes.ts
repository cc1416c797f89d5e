import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { InstalledSizes } from "./figures.ts";

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
