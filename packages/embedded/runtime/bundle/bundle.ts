import { resolve } from "node:path";
import { type BuildFailure, formatMessages } from "esbuild";
import { appComponent } from "../../names/table-name.ts";
import type { ComponentMount } from "../components/component-mounts.ts";
import type { Bundle } from "../isolate/worlds.ts";
import { faultOfPath, findModules, type ModuleFile } from "../source/bundle-modules.ts";
import { bundleNodeModules } from "../source/bundle-node-modules.ts";
import { buildModules, toScript } from "../source/bundle-script.ts";
import type { BundledScript, NodeBundle } from "../source/bundled-script.ts";
import { modulesByEnvironment } from "../source/module-environment.ts";
import { cachedScript } from "../source/script-cache.ts";
import { findComponents } from "./component-definitions.ts";
import { findExternalPackages } from "./external-packages.ts";

export type BundleOutcome =
  | { readonly kind: "bundled"; readonly bundle: Bundle }
  | { readonly kind: "failed"; readonly message: string };

/**
 * Bundles the functions folder with its imports, also those from outside, and with the components that its
 * `convex.config.ts` installs. Fails with esbuild's message if the code cannot be parsed, or if the embedded
 * backend cannot run it.
 */
export function bundleFunctions(directory: string): Promise<BundleOutcome> {
  return orFailed(() => bundle(resolve(directory)));
}

/** Turns a failure of esbuild or of the parser into an outcome. */
export async function orFailed<T>(
  task: () => Promise<T>,
): Promise<T | { readonly kind: "failed"; readonly message: string }> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: "failed", message: error.message };
    if (!isBuildFailure(error)) throw error;
    const messages = await formatMessages(error.errors, { kind: "error", color: false });
    return { kind: "failed", message: `${messages.join("\n").trim()}${adviceFor(error)}` };
  }
}

async function bundle(root: string): Promise<BundleOutcome> {
  const found = await findComponents(root);
  if (found.kind === "failed") return found;
  const { mounts, folders } = found.tree;
  const scripts = new Map<string, BundledScript>();
  let node: NodeBundle | null = null;
  for (const definition of new Set(mounts.map((mount) => mount.definition))) {
    const modules = await findModules(folders.get(definition) ?? root);
    const environments = await modulesByEnvironment(modules);
    const faults = [
      ...modules.map(faultOfPath).filter((fault) => fault !== null),
      ...environments.faults,
      ...(definition === appComponent ? [] : faultsOfComponent(environments.node)),
    ];
    if (faults.length > 0) return { kind: "failed", message: faults.join("\n") };
    scripts.set(definition, await cachedScript(await buildModules(root, environments.isolate), toScript));
    if (environments.node.length > 0) {
      const packages = await findExternalPackages(root);
      if (packages.kind === "failed") return packages;
      node = await bundleNodeModules(root, environments.node, packages.external);
    }
  }
  return { kind: "bundled", bundle: joinScripts(mounts, scripts, node) };
}

/** @param scripts of the app, "", and its components, by definition. */
export function joinScripts(
  mounts: readonly ComponentMount[],
  scripts: ReadonlyMap<string, BundledScript>,
  node: NodeBundle | null,
): Bundle {
  const { "": app, ...components } = Object.fromEntries(scripts);
  return { ...(app as BundledScript), mounts, components: new Map(Object.entries(components)), node };
}

/** Why a component's modules for Node are refused. */
export function faultsOfComponent(node: readonly Pick<ModuleFile, "file">[]): readonly string[] {
  return node.map(({ file }) => `"use node" directive is not supported in components: ${file}`);
}

/** esbuild advises to change its options, which developers of functions cannot do. */
function adviceFor({ errors }: BuildFailure): string {
  const isBuiltIn = errors.some(({ notes }) =>
    notes.some(({ text }) => text.includes("Are you trying to bundle for node?")),
  );
  if (!isBuiltIn) return "";
  return (
    '\n\nIt looks like a file without the "use node" directive uses Node APIs. Move the actions that need them into a ' +
    'file that contains only actions and begins with "use node".'
  );
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}
