import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { installed, paths, root } from "../core/paths.ts";

/** What the bundle is made of. */
const sources = ["app", "main", "package.json"].map((name) => join(root, name));

/**
 * Node's flags for a donor without Electron. What it holds is small: a young generation that may grow to 48 MB, as it may
 * by default, would only stay that large.
 */
export const headlessFlags: readonly string[] = ["--max-semi-space-size=1"];

/**
 * The donor without Electron: as `npm run build` bundled it, which takes a third less memory, or its sources where
 * that was not done or they have changed since.
 */
export function headlessEntry(): string {
  if (installed) return paths.headlessBundle;
  return freshBundle(paths.headlessBundle, sources) ? paths.headlessBundle : paths.headlessEntry;
}

/** Whether there is a bundle that is no older than any of what it is made of. */
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

/** Milliseconds since the epoch; 0 where there is no such file. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
