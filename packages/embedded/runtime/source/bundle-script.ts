import { basename, dirname, join, posix, relative, sep } from "node:path";
import { build, type Plugin, transform } from "esbuild";
import type { ModuleFile } from "./bundle-modules.ts";
import { type BundledScript, fileOf, ticksName } from "./bundled-script.ts";
import { withTicks } from "./loop-ticks.ts";
import { packMap } from "./packed-map.ts";

// The newest version that both Node and the parser for the ticks support.
const target = "es2024";
const supported = { "top-level-await": false };
/** Convex's folder for code that several modules share. */
const sharedFolder = "_deps";
/** A source map that maps nothing. */
export const noMap = JSON.stringify({ version: 3, sources: [], names: [], mappings: "" });

/** A file of ES modules as esbuild writes it when it splits code: a module with functions, or what several of them share. */
export type ModuleFileCode = {
  /** Relative to the output folder: "messages.js", "_deps/2KQ7X.js". */
  readonly path: string;
  readonly source: string;
  /** JSON. Its sources are relative to the file. */
  readonly sourceMap?: string | undefined;
};

/** Whether a file of the output is a module, not code that several modules share. */
export function isModulePath(path: string): boolean {
  return !path.startsWith(`${sharedFolder}/`);
}

/** The output folder, next to the functions folder. Nothing is written there. */
const outputFolder = "out";

/** Modules that are no place for functions. Convex builds each by itself, so they share no code with others. */
const specialModules = new Set(["schema", "auth.config"]);

/** Builds modules with their imports. `root` is the functions folder. Rejects with esbuild's BuildFailure. */
export async function buildModules(
  root: string,
  modules: readonly ModuleFile[],
): Promise<readonly ModuleFileCode[]> {
  const together = modules.filter(({ module }) => !specialModules.has(module));
  const alone = modules.filter(({ module }) => specialModules.has(module));
  const builds = [together, ...alone.map((module) => [module])];
  return (await Promise.all(builds.map((each) => buildTogether(root, each)))).flat();
}

/** As in Convex's bundler, an import of Node's `async_hooks` gives the globals. */
const asyncHooks: Plugin = {
  name: "async-hooks",
  setup(pluginBuild) {
    const namespace = "async-hooks";
    pluginBuild.onResolve({ filter: /^(?:node:)?async_hooks$/ }, ({ path }) => ({ path, namespace }));
    pluginBuild.onLoad({ filter: /./, namespace }, () => ({
      contents: `export const { AsyncLocalStorage, AsyncResource } = globalThis;
        export default { AsyncLocalStorage, AsyncResource };`,
    }));
  },
};

async function buildTogether(
  root: string,
  modules: readonly ModuleFile[],
): Promise<readonly ModuleFileCode[]> {
  const { outputFiles } = await build({
    entryPoints: modules.map(({ module, file }) => ({ in: file, out: module })),
    absWorkingDir: dirname(root),
    outdir: outputFolder,
    chunkNames: `${sharedFolder}/[hash]`,
    bundle: true,
    // As Convex does it, so that modules are evaluated in the same order, and constants are inlined in the same places.
    splitting: true,
    treeShaking: true,
    minifySyntax: true,
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    format: "esm",
    platform: "browser",
    target,
    supported,
    conditions: ["convex", "module"],
    jsx: "automatic",
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
    plugins: [asyncHooks],
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const folder = join(dirname(root), outputFolder);
  return outputFiles
    .filter(({ path }) => path.endsWith(".js"))
    .map(({ path, text }) => ({
      path: relative(folder, path).split(sep).join("/"),
      source: text,
      sourceMap: texts.get(`${path}.map`),
    }));
}

/** Lowers the syntax of files that another program has built. Rejects with esbuild's TransformFailure. */
export function lowered(files: readonly ModuleFileCode[]): Promise<readonly ModuleFileCode[]> {
  return Promise.all(
    files.map(async ({ path, source, sourceMap }) => {
      const { code, map } = await transform(withMap(source, sourceMap), {
        format: "esm",
        target,
        supported,
        sourcefile: basename(path),
        sourcemap: "external",
        sourcesContent: false,
        logLevel: "silent",
      });
      return { path, source: code, sourceMap: map };
    }),
  );
}

/** Joins files to a script. Rejects with esbuild's TransformFailure. */
export async function toScript(files: readonly ModuleFileCode[]): Promise<BundledScript> {
  const modules = files.map(({ path }) => path).filter(isModulePath);
  return {
    ...joined(await Promise.all(files.map(toFunction))),
    modules: modules.map((path) => path.replace(/\.js$/, "")),
  };
}

type File = { readonly name: string; readonly code: string; readonly sourceMap: string };

/** Makes a file of ES modules a function's body. It gets its ticks first, so that what esbuild adds has none. */
async function toFunction({ path, source, sourceMap = noMap }: ModuleFileCode): Promise<File> {
  const ticked = withTicks(source, fromProject(path, sourceMap));
  const converted = await transform(withMap(ticked.code, ticked.sourceMap), {
    format: "cjs",
    target,
    supported: { "dynamic-import": false },
    // The function's parameters are not the code's.
    define: { require: "undefined", module: "undefined", exports: "undefined" },
    sourcefile: basename(path),
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
  });
  return { name: fileOf(path), code: exportingDirectly(converted.code), sourceMap: converted.map };
}

function withMap(code: string, sourceMap: string = noMap): string {
  const url = `data:application/json;base64,${Buffer.from(sourceMap).toString("base64")}`;
  return `${code}\n//# sourceMappingURL=${url}`;
}

/** Makes a map's sources relative to the project's folder. */
export function fromProject(path: string, sourceMap: string): string {
  const map = JSON.parse(sourceMap) as { readonly sources: readonly string[] };
  const folder = posix.join(outputFolder, posix.dirname(path));
  return JSON.stringify({ ...map, sources: map.sources.map((source) => posix.join(folder, source)) });
}

/** Without the copy that esbuild makes for importers which are no ES modules. It makes each use of an import slower. */
function exportingDirectly(code: string): string {
  return code.replace(/^module\.exports = __toCommonJS\((\w+)\);$/m, "module.exports = $1;");
}

function joined(files: readonly File[]): Pick<BundledScript, "code" | "sourceMap"> {
  const parts: string[] = ["({"];
  const sections: object[] = [];
  let line = 1;
  for (const { name, code, sourceMap } of files) {
    const body = code.endsWith("\n") ? code : `${code}\n`;
    parts.push(`${JSON.stringify(name)}(require,module,${ticksName}){`, `${body}},`);
    sections.push({ offset: { line: line + 1, column: 0 }, map: JSON.parse(sourceMap) as object });
    line += body.split("\n").length + 1;
  }
  return { code: `${parts.join("\n")}\n})`, sourceMap: packMap(JSON.stringify({ version: 3, sections })) };
}
