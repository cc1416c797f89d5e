import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { build, formatMessages, type BuildFailure } from "esbuild";
import { asksForNode, findModules, type ModuleFile } from "./bundle-modules.ts";

/** All modules of a functions folder in one script, which leaves them in `MODULES_GLOBAL`. */
export type Bundle = {
  readonly code: string;
  /** The source map as JSON; its sources are relative to the folder's parent. */
  readonly sourceMap: string;
  readonly modules: readonly string[];
};

export type BundleOutcome =
  | { readonly kind: "bundled"; readonly bundle: Bundle }
  | { readonly kind: "failed"; readonly message: string };

/** The context's global variable to which the bundle assigns its modules by name. */
export const MODULES_GLOBAL = "__convexModules";

/**
 * Bundles the functions folder with what it imports, also from outside of it. Fails with esbuild's own
 * message on code that it does not understand, and on what the embedded backend cannot run.
 */
export async function bundleFunctions(directory: string): Promise<BundleOutcome> {
  const folder = resolve(directory);
  const modules = await findModules(folder);
  const forNode = await modulesForNode(modules);
  if (forNode.length > 0) {
    const names = forNode.map(({ file }) => file).join(", ");
    return { kind: "failed", message: `"use node" is not supported by the embedded backend yet: ${names}` };
  }
  try {
    return { kind: "bundled", bundle: await bundleModules(folder, modules) };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    const messages = await formatMessages(error.errors, { kind: "error", color: false });
    return { kind: "failed", message: messages.join("\n").trim() };
  }
}

async function bundleModules(folder: string, modules: readonly ModuleFile[]): Promise<Bundle> {
  const result = await build({
    stdin: { contents: entryPoint(modules), resolveDir: folder, sourcefile: "_entry.js", loader: "js" },
    absWorkingDir: dirname(folder),
    outfile: "bundle.js",
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "esnext",
    conditions: ["convex", "module"],
    jsx: "automatic",
    keepNames: true,
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
  });
  const [map, script] = [".map", ".js"].map((end) =>
    result.outputFiles.find(({ path }) => path.endsWith(end)),
  );
  return {
    code: script?.text ?? "",
    sourceMap: map?.text ?? "{}",
    modules: modules.map(({ module }) => module),
  };
}

function entryPoint(modules: readonly ModuleFile[]): string {
  const imports = modules.map(({ file }, index) => `import * as m${index} from ${JSON.stringify(file)};`);
  const names = modules.map(({ module }, index) => `  ${JSON.stringify(module)}: m${index},`);
  return [...imports, `globalThis.${MODULES_GLOBAL} = {`, ...names, "};"].join("\n");
}

async function modulesForNode(modules: readonly ModuleFile[]): Promise<readonly ModuleFile[]> {
  const sources = await Promise.all(modules.map(({ file }) => readFile(file, "utf8")));
  return modules.filter((_, index) => asksForNode(sources[index] as string));
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}
