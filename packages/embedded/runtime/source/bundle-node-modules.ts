import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import type { ModuleFile } from "./bundle-modules.ts";
import { type NodeBundle, nodeFileOf } from "./bundled-script.ts";
import { packMap } from "./packed-map.ts";

/** Packages that a "use node" module imports when it runs, and the `node_modules` folder that has them. */
export type ExternalPackages = { readonly folder: string; readonly names: ReadonlySet<string> };

/**
 * Bundles "use node" modules with their imports, except for Node's own modules and the external packages. `root` is the
 * functions folder. Rejects with esbuild's BuildFailure.
 */
export async function bundleNodeModules(
  root: string,
  modules: readonly ModuleFile[],
  external: ExternalPackages,
): Promise<NodeBundle> {
  const used = new Set<string>();
  const { outputFiles } = await build({
    entryPoints: modules.map(({ file }, position) => ({
      in: file,
      out: nodeFileOf(position).replace(/\.mjs$/, ""),
    })),
    absWorkingDir: dirname(root),
    outdir: ".",
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunk-[hash]",
    bundle: true,
    splitting: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node22",
    conditions: ["convex", "module"],
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
    plugins: [externalPackages(external, used)],
  });
  const maps = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const files = outputFiles
    .filter(({ path }) => path.endsWith(".mjs"))
    .map(({ path, text }) => ({
      name: basename(path),
      code: text,
      sourceMap: packMap(maps.get(`${path}.map`) ?? "{}"),
    }));
  return {
    files,
    modules: modules.map(({ module }) => module),
    packages: used.size === 0 ? null : external.folder,
  };
}

/** Leaves imports of external packages as they are, and records these packages in `used`. */
function externalPackages({ folder, names }: ExternalPackages, used: Set<string>): Plugin {
  return {
    name: "external-packages",
    setup(pluginBuild) {
      pluginBuild.onResolve({ filter: /^[^./]/, namespace: "file" }, ({ path, resolveDir }) => {
        const name = packageOf(path);
        // A package may have an own copy of another version, which the process would not find.
        if (!names.has(name) || folderOf(name, resolveDir) !== join(folder, name)) return null;
        used.add(name);
        return { path, external: true };
      });
    },
  };
}

function packageOf(path: string): string {
  return path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/");
}

/** The package's folder that code in a folder would import from. */
function folderOf(name: string, from: string): string | null {
  const candidate = join(from, "node_modules", name);
  if (existsSync(candidate)) return candidate;
  return dirname(from) === from ? null : folderOf(name, dirname(from));
}
