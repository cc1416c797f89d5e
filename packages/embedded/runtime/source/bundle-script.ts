import { dirname } from "node:path";
import { build } from "esbuild";
import type { ModuleFile } from "./bundle-modules.ts";
import { withTicks } from "./loop-ticks.ts";

/** All modules of a folder in one script, which assigns them to `modulesGlobal`. */
export type BundledScript = {
  readonly code: string;
  /** The source map as JSON; its sources are relative to the functions folder's parent. */
  readonly sourceMap: string;
  readonly modules: readonly string[];
};

/** The context's global variable to which a script assigns its modules by name. */
export const modulesGlobal = "__convexModules";

/** Bundles modules with their imports. `root` is the functions folder. Rejects with esbuild's BuildFailure. */
export async function bundleModules(root: string, modules: readonly ModuleFile[]): Promise<BundledScript> {
  const result = await build({
    stdin: { contents: entryPoint(modules), resolveDir: root, sourcefile: "_entry.js", loader: "js" },
    absWorkingDir: dirname(root),
    outfile: "bundle.js",
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    // The newest version that both Node and the parser for the ticks support.
    target: "es2024",
    conditions: ["convex", "module"],
    jsx: "automatic",
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
  });
  const [map, script] = [".map", ".js"].map((end) =>
    result.outputFiles.find(({ path }) => path.endsWith(end)),
  );
  return {
    ...withTicks(script?.text ?? "", map?.text ?? "{}"),
    modules: modules.map(({ module }) => module),
  };
}

function entryPoint(modules: readonly ModuleFile[]): string {
  const imports = modules.map(({ file }, index) => `import * as m${index} from ${JSON.stringify(file)};`);
  const names = modules.map(({ module }, index) => `  ${JSON.stringify(module)}: m${index},`);
  return [...imports, `globalThis.${modulesGlobal} = {`, ...names, "};"].join("\n");
}
