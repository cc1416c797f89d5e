import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { installed, paths, root } from "../core/paths.ts";

/** The sources of the bundle. */
const sources = ["app", "main", "packages/queue", "package.json"].map((name) => join(root, name));

/**
 * Node's flags for a donor without Electron. It needs little memory, but a young generation that has grown to the default
 * of 48 MB would not shrink again.
 */
export const headlessFlags: readonly string[] = ["--max-semi-space-size=1"];

/**
 * The program of a donor without Electron. The bundle takes a third less memory, so it is preferred. If it was not
 * built, or is older than its sources, the sources run instead.
 */
export function headlessEntry(): string {
  if (installed) return paths.headlessBundle;
  return freshBundle(paths.headlessBundle, sources) ? paths.headlessBundle : paths.headlessEntry;
}

/** Whether the bundle exists and is no older than any of its sources. */
export function freshBundle(bundle: string, madeOf: readonly string[]): boolean {
  const builtAt = changedAt(bundle);
  return builtAt > 0 && madeOf.flatMap(filesOf).every((file) => changedAt(file) <= builtAt);
}

function filesOf(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture)\.tsx?$/.test(file))
    .map((file) => join(path, file));
}

/** Ms since the epoch; 0 for a missing file. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
