import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import vm from "node:vm";
import { build, type OnResolveArgs, type Plugin, type PluginBuild } from "esbuild";
import { type DefinitionAnalysis, parseAnalysis } from "../components/component-analysis.ts";
import { type ComponentMount, mountsOf } from "../components/component-mounts.ts";
import { sharedGlobals } from "../isolate/isolate-globals.ts";

/** The components that the app's `convex.config.ts` installs; only the app if that file does not exist. */
type ComponentTree = {
  readonly mounts: readonly ComponentMount[];
  /** The folders of the definitions, by their path relative to the functions folder. */
  readonly folders: ReadonlyMap<string, string>;
};

type ComponentTreeOutcome =
  | { readonly kind: "ok"; readonly tree: ComponentTree }
  | { readonly kind: "failed"; readonly message: string };

const configFiles = ["convex.config.ts", "convex.config.js"];
const importsConfig = /(?:^|[\\/])convex\.config(?:\.[jt]s)?$/;
const namespace = "component-reference";
const definitionsGlobal = "__convexDefinitions";
const appGlobal = "__convexApp";
const timeoutMs = 10_000;

/**
 * Evaluates the app's `convex.config.ts` and those of the components that it installs. Rejects with esbuild's
 * BuildFailure if one cannot be bundled.
 */
export async function findComponents(folder: string): Promise<ComponentTreeOutcome> {
  const config = configFiles.map((file) => join(folder, file)).find((file) => existsSync(file));
  if (config === undefined) return { kind: "ok", tree: { mounts: [appOnly], folders: new Map() } };
  const folders = new Map<string, string>();
  const uses: Uses = new Map();
  const code = await bundleDefinitions(config, dirname(folder), componentReferences(folder, folders, uses));
  const evaluated = evaluateDefinitions(code, uses);
  return evaluated.kind === "failed"
    ? evaluated
    : { kind: "ok", tree: { mounts: evaluated.mounts, folders } };
}

/** The configs that each config imports, by folder. */
export type Uses = Map<string, Set<string>>;

type MountsOutcome =
  | { readonly kind: "ok"; readonly mounts: readonly ComponentMount[] }
  | { readonly kind: "failed"; readonly message: string };

/** Evaluates a bundle of the app's config and those that it installs. */
export function evaluateDefinitions(code: string, uses: Uses): MountsOutcome {
  const cycle = findCycle(uses);
  if (cycle !== null) {
    const path = cycle.map((key) => (key === "" ? "the app" : key)).join(" → ");
    return failed("", `components cannot install each other in a circle: ${path}`);
  }
  const evaluated = evaluate(code);
  if (evaluated.kind === "failed") return evaluated;
  const mounted = mountsOf(evaluated.definitions);
  return mounted.kind === "invalid" ? { kind: "failed", message: mounted.reason } : mounted;
}

const appOnly: ComponentMount = {
  path: "",
  definition: "",
  variables: [],
  httpMounts: [],
  httpPrefix: null,
};

/** Bundles configs to a script. The plugin has to resolve imports of one config from another as `referenceTo`. */
export async function bundleDefinitions(
  config: string,
  workingFolder: string,
  plugin: Plugin,
): Promise<string> {
  const result = await build({
    entryPoints: [config],
    absWorkingDir: workingFolder,
    bundle: true,
    write: false,
    format: "iife",
    globalName: appGlobal,
    platform: "browser",
    target: "esnext",
    conditions: ["convex", "module"],
    logLevel: "silent",
    plugins: [plugin],
  });
  return result.outputFiles[0]?.text ?? "";
}

/**
 * The value that a config gets when it imports a component's config. The convex package expects the definition's path and name; the
 * definition itself is left in a global.
 */
export function referenceTo(key: string, file: string): string {
  return `
    import definition from ${JSON.stringify(file)};
    (globalThis.${definitionsGlobal} ??= {})[${JSON.stringify(key)}] = definition;
    export default { componentDefinitionPath: ${JSON.stringify(key)}, defaultName: definition._name };`;
}

/** Resolves imports of one config from another. `uses` records which folder imports which configs. */
function componentReferences(folder: string, folders: Map<string, string>, uses: Uses): Plugin {
  const keyOf = (file: string): string => relative(folder, dirname(file)).split(sep).join("/");
  return {
    name: namespace,
    setup(pluginBuild) {
      pluginBuild.onResolve({ filter: importsConfig }, async (args) => {
        if (args.kind === "entry-point" || args.namespace === namespace || args.pluginData === namespace)
          return;
        const path = await resolveConfig(pluginBuild, args);
        if (path === null) return;
        const user = keyOf(args.importer);
        uses.set(user, (uses.get(user) ?? new Set()).add(keyOf(path)));
        return { path, namespace: namespace };
      });
      pluginBuild.onLoad({ filter: /.*/, namespace: namespace }, ({ path }) => {
        const key = keyOf(path);
        folders.set(key, dirname(path));
        return { contents: referenceTo(key, path), resolveDir: dirname(path), loader: "js" };
      });
    },
  };
}

async function resolveConfig(pluginBuild: PluginBuild, args: OnResolveArgs): Promise<string | null> {
  const { importer, resolveDir, kind } = args;
  for (const candidate of [
    args.path,
    args.path.replace(/\.js$/, ".ts"),
    `${args.path}.js`,
    `${args.path}.ts`,
  ]) {
    const options = { importer, resolveDir, kind, pluginData: namespace };
    const { path, errors } = await pluginBuild.resolve(candidate, options);
    if (errors.length === 0 && path !== "") return path;
  }
  return null;
}

type Evaluated =
  | { readonly kind: "ok"; readonly definitions: ReadonlyMap<string, DefinitionAnalysis> }
  | { readonly kind: "failed"; readonly message: string };

type Exportable = { readonly export?: () => unknown };

function evaluate(code: string): Evaluated {
  const context = vm.createContext(sharedGlobals(() => ({}), Date.now));
  try {
    vm.runInContext(code, context, { filename: "convex.config", timeout: timeoutMs });
    const app = (context[appGlobal] as { readonly default?: Exportable }).default;
    const components = (context[definitionsGlobal] ?? {}) as { readonly [path: string]: Exportable };
    const definitions = new Map<string, DefinitionAnalysis>();
    for (const [path, definition] of [["", app] as const, ...Object.entries(components)]) {
      const parsed = parseAnalysis(exportOf(path, definition));
      if (parsed.kind === "invalid") return failed(path, parsed.reason);
      definitions.set(path, parsed.analysis);
    }
    return { kind: "ok", definitions };
  } catch (error) {
    return failed("", (error as { readonly message?: string } | null)?.message ?? String(error));
  }
}

function exportOf(path: string, definition: Exportable | undefined): unknown {
  if (typeof definition?.export !== "function") {
    const maker = path === "" ? "defineApp()" : "defineComponent(…)";
    throw new Error(`the default export of convex.config.ts must come from ${maker}`);
  }
  return JSON.parse(JSON.stringify(definition.export()));
}

function failed(path: string, reason: string): { readonly kind: "failed"; readonly message: string } {
  return { kind: "failed", message: `${path === "" ? "" : `${path}/`}convex.config: ${reason}` };
}

/**
 * Finds definitions that install each other in a cycle. Repeats the first one at the end; null if there is no
 * cycle.
 */
function findCycle(uses: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | null {
  const done = new Set<string>();
  const follow = (definition: string, path: readonly string[]): readonly string[] | null => {
    const at = path.indexOf(definition);
    if (at >= 0) return [...path.slice(at), definition];
    if (done.has(definition)) return null;
    for (const used of uses.get(definition) ?? []) {
      const cycle = follow(used, [...path, definition]);
      if (cycle !== null) return cycle;
    }
    done.add(definition);
    return null;
  };
  for (const definition of uses.keys()) {
    const cycle = follow(definition, []);
    if (cycle !== null) return cycle;
  }
  return null;
}
