import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type BuildFailure, formatMessages } from "esbuild";
import type { ComponentMount } from "../components/component-mounts.ts";
import type { Bundle } from "../isolate/worlds.ts";
import { asksForNode, faultOfPath, findModules, type ModuleFile } from "../source/bundle-modules.ts";
import { buildModules, toScript } from "../source/bundle-script.ts";
import type { BundledScript } from "../source/bundled-script.ts";
import { findComponents } from "./component-definitions.ts";

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
    return { kind: "failed", message: messages.join("\n").trim() };
  }
}

async function bundle(root: string): Promise<BundleOutcome> {
  const found = await findComponents(root);
  if (found.kind === "failed") return found;
  const { mounts, folders } = found.tree;
  const scripts = new Map<string, BundledScript>();
  for (const definition of new Set(mounts.map((mount) => mount.definition))) {
    const modules = await findModules(folders.get(definition) ?? root);
    const faults = modules.map(faultOfPath).filter((fault) => fault !== null);
    if (faults.length > 0) return { kind: "failed", message: faults.join("\n") };
    const forNode = await modulesForNode(modules);
    if (forNode.length > 0) {
      const names = forNode.map(({ file }) => file).join(", ");
      return { kind: "failed", message: `"use node" is not supported by the embedded backend yet: ${names}` };
    }
    scripts.set(definition, await toScript(await buildModules(root, modules)));
  }
  return { kind: "bundled", bundle: joinScripts(mounts, scripts) };
}

/** @param scripts of the app, "", and its components, by definition. */
export function joinScripts(
  mounts: readonly ComponentMount[],
  scripts: ReadonlyMap<string, BundledScript>,
): Bundle {
  const { "": app, ...components } = Object.fromEntries(scripts);
  return { ...(app as BundledScript), mounts, components: new Map(Object.entries(components)) };
}

async function modulesForNode(modules: readonly ModuleFile[]): Promise<readonly ModuleFile[]> {
  const sources = await Promise.all(modules.map(({ file }) => readFile(file, "utf8")));
  return modules.filter((_, index) => asksForNode(sources[index] as string));
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}
