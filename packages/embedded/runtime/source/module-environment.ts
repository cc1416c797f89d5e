import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { parse } from "acorn";
import { type Loader, transform } from "esbuild";
import type { ModuleFile } from "./bundle-modules.ts";

/** The modules that the backend runs itself, and those whose actions run in Node processes. */
type ModulesByEnvironment = {
  readonly isolate: readonly ModuleFile[];
  readonly node: readonly ModuleFile[];
  /** Why Convex would refuse to deploy the modules. */
  readonly faults: readonly string[];
};

const directive = "use node";

/** Modules that define more than functions. */
const special = new Set(["http", "crons", "schema", "auth.config"]);

/** An older way to choose the Node runtime. Convex still requires the directive in all files of this folder. */
const actionsFolder = "actions/";

/** Finds out which modules ask for Convex's Node.js runtime. */
export async function modulesByEnvironment(modules: readonly ModuleFile[]): Promise<ModulesByEnvironment> {
  const asking = await Promise.all(modules.map(asksForNode));
  const node = modules.filter((_, index) => asking[index]);
  const isolate = modules.filter((_, index) => !asking[index]);
  const faults = [
    ...node
      .filter(({ module }) => special.has(module))
      .map(({ module, file }) => `"${directive}" directive is not allowed for ${module}${extname(file)}.`),
    ...isolate
      .filter(({ module }) => module.startsWith(actionsFolder))
      .map(
        ({ module, file }) =>
          `${module}${extname(file)} is in the folder "${actionsFolder}" but has no "${directive}" directive. ` +
          "Add the directive, or move the file to another folder.",
      ),
  ];
  return { isolate, node, faults };
}

async function asksForNode({ file }: ModuleFile): Promise<boolean> {
  const source = await readFile(file, "utf8");
  return source.includes(directive) && hasDirective(source, loaderOf(file));
}

/** Whether "use node" is one of a script's directives. If it cannot be parsed, a line with only that text counts. */
export async function hasDirective(source: string, loader: Loader): Promise<boolean> {
  try {
    const { code } = await transform(source, { loader, jsx: "automatic", logLevel: "silent" });
    const { body } = parse(code, { ecmaVersion: "latest", sourceType: "module" });
    return body.some((statement) => "directive" in statement && statement.directive === directive);
  } catch {
    return /^\s*["']use node["'];?\s*$/m.test(source);
  }
}

function loaderOf(file: string): Loader {
  const extension = extname(file).slice(1);
  if (extension === "tsx" || extension === "jsx") return extension;
  return extension === "ts" || extension === "mts" ? "ts" : "jsx";
}
