import type { Plugin } from "esbuild";
import { faultOfPath } from "../source/bundle-modules.ts";
import {
  fromProject,
  isModulePath,
  lowered,
  type ModuleFileCode,
  noMap,
  toScript,
} from "../source/bundle-script.ts";
import { type BundledScript, type NodeBundle, nodeFileOf } from "../source/bundled-script.ts";
import { packMap } from "../source/packed-map.ts";
import { cachedScript } from "../source/script-cache.ts";
import { type BundleOutcome, faultsOfComponent, joinScripts } from "./bundle.ts";
import { bundleDefinitions, evaluateDefinitions, referenceTo, type Uses } from "./component-definitions.ts";

export type PushedFile = ModuleFileCode & { readonly environment: "isolate" | "node" };

/** The app or a component, bundled by the convex command. */
export type PushedDefinition = {
  /** The folder of the definition, relative to the functions folder; "" is the app's. */
  readonly path: string;
  /** Its convex.config.ts; null without one. */
  readonly config: string | null;
  readonly files: readonly PushedFile[];
};

/** The app first. */
export type PushedCode = readonly PushedDefinition[];

const namespace = "pushed-config";
/** Begins the names of configs for esbuild, which takes no empty ones. */
const prefix = "config:";
const referenceNamespace = "pushed-reference";
/** How a pushed config names that of a component; the folder follows in base64url. */
const importedConfig = /^\.\/_componentDeps\/([A-Za-z0-9_-]+)$/;

/** Makes a bundle of code that the convex command has bundled. Rejects with esbuild's failure if it cannot be parsed. */
export async function bundlePushed(definitions: PushedCode): Promise<BundleOutcome> {
  const [app, ...components] = definitions;
  const files = definitions.flatMap(({ files: each }) => each);
  const faults = [
    ...files.map(({ path }) => faultOfPath({ module: moduleOf(path), file: path })).filter(isFault),
    ...faultsOfComponent(components.flatMap(forNode).map(({ path }) => ({ file: path }))),
  ];
  const [fault] = faults;
  if (fault !== undefined) return { kind: "failed", message: fault };
  const uses: Uses = new Map();
  const code = await bundleDefinitions(prefix, process.cwd(), pushedConfigs(definitions, uses));
  const evaluated = evaluateDefinitions(code, uses);
  if (evaluated.kind === "failed") return evaluated;
  const scripts = new Map<string, BundledScript>();
  for (const { path, files: each } of definitions) {
    const isolated = each.filter(({ environment }) => environment === "isolate");
    scripts.set(path, await cachedScript(await lowered(isolated), toScript));
  }
  const node = app === undefined ? null : nodeBundleOf(forNode(app));
  return { kind: "bundled", bundle: joinScripts(evaluated.mounts, scripts, node) };
}

function forNode({ files }: PushedDefinition): readonly PushedFile[] {
  return files.filter(({ environment }) => environment === "node");
}

function moduleOf(path: string): string {
  return path.replace(/\.js$/, "");
}

function isFault(fault: string | null): fault is string {
  return fault !== null;
}

/** The pushed files import each other by their paths, so they keep them. Null if there are none. */
function nodeBundleOf(files: readonly PushedFile[]): NodeBundle | null {
  if (files.length === 0) return null;
  const modules = files.filter(({ path }) => isModulePath(path));
  const entries = modules.map(({ path }, position) => ({
    name: nodeFileOf(position),
    code: `export * from "./${path}";`,
    sourceMap: packMap(noMap),
  }));
  const pushed = files.map(({ path, source, sourceMap = noMap }) => ({
    name: path,
    code: source,
    sourceMap: packMap(fromProject(path, sourceMap)),
  }));
  const manifest = { name: "package.json", code: `{ "type": "module" }`, sourceMap: packMap(noMap) };
  return {
    files: [...entries, ...pushed, manifest],
    modules: modules.map(({ path }) => moduleOf(path)),
    packages: null,
  };
}

function pushedConfigs(definitions: PushedCode, uses: Uses): Plugin {
  const configs = new Map(definitions.map(({ path, config }) => [path, config]));
  return {
    name: namespace,
    setup(pluginBuild) {
      pluginBuild.onResolve({ filter: /.*/ }, ({ path, importer, kind, namespace: from }) => {
        if (kind === "entry-point" || from === referenceNamespace) return { path, namespace };
        const [, encoded] = importedConfig.exec(path) ?? [];
        if (encoded === undefined) return { errors: [{ text: `A config cannot import ${path}.` }] };
        const key = Buffer.from(encoded, "base64url").toString("utf8");
        const user = importer.slice(prefix.length);
        uses.set(user, (uses.get(user) ?? new Set()).add(key));
        return { path: key, namespace: referenceNamespace };
      });
      pluginBuild.onLoad({ filter: /.*/, namespace: referenceNamespace }, ({ path }) => ({
        contents: referenceTo(path, `${prefix}${path}`),
        loader: "js",
      }));
      pluginBuild.onLoad({ filter: /.*/, namespace }, ({ path }) => {
        const key = path.slice(prefix.length);
        const contents = configs.get(key);
        if (typeof contents === "string") return { contents, loader: "js" };
        return { errors: [{ text: `The component at ${key} was not pushed.` }] };
      });
    },
  };
}
