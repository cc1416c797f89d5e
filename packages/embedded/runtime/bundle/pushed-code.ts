import type { Plugin } from "esbuild";
import { faultOfPath } from "../source/bundle-modules.ts";
import { lowered, type ModuleFileCode, toScript } from "../source/bundle-script.ts";
import type { BundledScript } from "../source/bundled-script.ts";
import { type BundleOutcome, joinScripts } from "./bundle.ts";
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
  const files = definitions.flatMap(({ files: each }) => each);
  const forNode = files.filter(({ environment }) => environment === "node").map(({ path }) => path);
  if (forNode.length > 0) {
    const message = `"use node" is not supported by the embedded backend yet: ${forNode.join(", ")}`;
    return { kind: "failed", message };
  }
  const faults = files.map(({ path }) => faultOfPath({ module: path.replace(/\.js$/, ""), file: path }));
  const fault = faults.find((each) => each !== null);
  if (fault !== undefined) return { kind: "failed", message: fault };
  const uses: Uses = new Map();
  const code = await bundleDefinitions(prefix, process.cwd(), pushedConfigs(definitions, uses));
  const evaluated = evaluateDefinitions(code, uses);
  if (evaluated.kind === "failed") return evaluated;
  const scripts = new Map<string, BundledScript>();
  for (const { path, files: each } of definitions) scripts.set(path, await toScript(await lowered(each)));
  return { kind: "bundled", bundle: joinScripts(evaluated.mounts, scripts) };
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
