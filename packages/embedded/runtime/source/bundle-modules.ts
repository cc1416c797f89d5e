import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { modulePathProblem } from "../../names/function-path.ts";

/** A module file in the functions folder. */
export type ModuleFile = {
  /** Name as in function paths: relative to the folder, with "/", without the extension. */
  readonly module: string;
  readonly file: string;
};

const script = /\.(?:ts|tsx|js|jsx|mjs|mts)$/;
const skippedFolders = new Set(["_generated", "node_modules"]);

/** Marks a folder as a component, which is bundled where it is installed. */
const componentFile = "/convex.config.ts";

/**
 * Finds the modules of a functions folder: all scripts except tests, declarations, generated code, and those in
 * components' folders.
 */
export async function findModules(directory: string): Promise<readonly ModuleFile[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const paths = files.map((file) => relative(directory, file).split(sep).join("/"));
  const components = paths
    .filter((path) => path.endsWith(componentFile))
    .map((path) => path.slice(0, 1 - componentFile.length));
  return paths
    .filter((path) => isModule(path) && !components.some((folder) => path.startsWith(folder)))
    .sort(inWalkOrder)
    .map((path) => ({ module: path.replace(script, ""), file: join(directory, path) }));
}

/** The order in which Convex walks a folder: by the names in each. The order of entry points decides that of their code. */
function inWalkOrder(a: string, b: string): number {
  const [left, right] = [a.split("/"), b.split("/")];
  const at = left.findIndex((name, index) => name !== right[index]);
  const [name = "", other = ""] = [left[at], right[at]];
  return name < other ? -1 : 1;
}

/** Whether a path relative to the folder is a module that the backend loads. */
export function isModule(path: string): boolean {
  const folders = path.split("/");
  const base = folders.pop() as string;
  if (!script.test(base) || base.startsWith(".") || base.startsWith("#") || base.includes(" ")) return false;
  if (folders.some((folder) => skippedFolders.has(folder) || folder.startsWith("."))) return false;
  // A module's only dot is that of its extension. "a.test.ts", "a.d.ts" and "convex.config.ts" have more.
  return base.split(".").length === 2 || (folders.length === 0 && base.startsWith("auth.config."));
}

/** Returns Convex's message for a module whose path it would refuse to deploy; otherwise null. */
export function faultOfPath({ module }: ModuleFile): string | null {
  const path = `${module}.js`;
  const problem = modulePathProblem(path);
  return problem === null ? null : `${path} is not a valid path to a Convex module. ${problem}`;
}
