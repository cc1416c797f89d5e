import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a folder of PATH has a program of this name. */
export function onPath(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program)));
}
