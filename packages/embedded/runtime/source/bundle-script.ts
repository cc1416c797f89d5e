import { basename, dirname } from "node:path";
import { build, transform } from "esbuild";
import type { ModuleFile } from "./bundle-modules.ts";
import { type BundledScript, ticksName } from "./bundled-script.ts";
import { withTicks } from "./loop-ticks.ts";

// The newest version that both Node and the parser for the ticks support.
const target = "es2024";

/** Bundles modules with their imports. `root` is the functions folder. Rejects with esbuild's BuildFailure. */
export async function bundleModules(root: string, modules: readonly ModuleFile[]): Promise<BundledScript> {
  const { outputFiles } = await build({
    entryPoints: modules.map(({ file }, position) => ({ in: file, out: `module-${position}` })),
    absWorkingDir: dirname(root),
    outdir: ".",
    chunkNames: "chunk-[hash]",
    bundle: true,
    // As Convex does it, so that modules are evaluated in the same order.
    splitting: true,
    write: false,
    format: "esm",
    platform: "browser",
    target,
    supported: { "top-level-await": false },
    conditions: ["convex", "module"],
    jsx: "automatic",
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
  });
  const maps = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const scripts = outputFiles.filter(({ path }) => path.endsWith(".js"));
  const files = await Promise.all(
    scripts.map(({ path, text }) => toFunction(basename(path), text, maps.get(`${path}.map`) ?? "{}")),
  );
  return { ...joined(files), modules: modules.map(({ module }) => module) };
}

type File = { readonly name: string; readonly code: string; readonly sourceMap: string };

/** Makes a file of ES modules a function's body. It gets its ticks first, so that what esbuild adds has none. */
async function toFunction(name: string, code: string, sourceMap: string): Promise<File> {
  const ticked = withTicks(code, sourceMap);
  const mapUrl = `data:application/json;base64,${Buffer.from(ticked.sourceMap).toString("base64")}`;
  const converted = await transform(`${ticked.code}\n//# sourceMappingURL=${mapUrl}`, {
    format: "cjs",
    target,
    supported: { "dynamic-import": false },
    // The function's parameters are not the code's.
    define: { require: "undefined", module: "undefined", exports: "undefined" },
    sourcefile: name,
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
  });
  return { name, code: exportingDirectly(converted.code), sourceMap: converted.map };
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
    parts.push(`${JSON.stringify(`./${name}`)}(require,module,${ticksName}){`, `${body}},`);
    sections.push({ offset: { line: line + 1, column: 0 }, map: JSON.parse(sourceMap) as object });
    line += body.split("\n").length + 1;
  }
  return { code: `${parts.join("\n")}\n})`, sourceMap: JSON.stringify({ version: 3, sections }) };
}
