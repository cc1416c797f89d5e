import { randomBytes } from "node:crypto";
import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import { LoadedComponents } from "../bundle/loaded-components.ts";
import { type ComponentVariables, variablesProblem } from "../components/component-variables.ts";
import type { ConvexGlobal } from "../contract/convex-global.ts";
import { describeCopy } from "../execution/function-failure.ts";
import { type Bundle, ModuleLoadError, scriptNameOf, Worlds } from "../isolate/worlds.ts";
import type { LoadedNodeActions } from "../node/load-node-actions.ts";
import { nodeSourceMaps } from "../source/bundled-script.ts";
import { type PackedMap, packMap } from "../source/packed-map.ts";
import { createStackMapper, type StackMapper } from "../source/stack-trace.ts";

/** A bundle whose modules were evaluated. */
export type LoadedCode = {
  readonly components: LoadedComponents;
  readonly worlds: Worlds;
  readonly mapStack: StackMapper;
  /** Its actions of "use node" modules; null without any. */
  readonly node: LoadedNodeActions | null;
  /** Whether it has read environment variables so far. */
  readonly readsVariables: () => boolean;
};

/** The functions cannot be loaded. The message names the developer's file and line. */
export class FunctionsLoadError extends Error {
  override readonly name = "FunctionsLoadError";
  /** Whether the modules failed after they had read environment variables, so that other values may help. */
  readonly needsVariables: boolean;

  constructor(message: string, options: ErrorOptions & { readonly needsVariables?: boolean } = {}) {
    super(message, options);
    this.needsVariables = options.needsVariables ?? false;
  }
}

/** The parts of the backend that code needs. */
type CodeDeps = {
  readonly convex: ConvexGlobal;
  readonly variablesOf: ComponentVariables;
  /** The time that functions see, in ms. */
  readonly now: () => number;
};

/**
 * Evaluates the modules of a bundle, except for those of `node`, which are already. Throws FunctionsLoadError or
 * ModuleShapeError.
 */
export function loadCode(
  bundle: Bundle,
  node: LoadedNodeActions | null,
  { convex, variablesOf, now }: CodeDeps,
): LoadedCode {
  const mapStack = createStackMapper(sourceMapsOf(bundle));
  const problem = variablesProblem(bundle.mounts, variablesOf);
  if (problem !== null) throw new FunctionsLoadError(problem, { needsVariables: true });
  let hasRead = false;
  const env: ComponentVariables = (component) => {
    hasRead = true;
    return variablesOf(component);
  };
  const loading = { time: now(), seed: randomBytes(32) };
  const worlds = new Worlds(bundle, { convex, env, now, loading, mapStack });
  try {
    const namespacesOf = (component: ComponentPath) => worlds.loadAll(component);
    const components = new LoadedComponents(bundle.mounts, namespacesOf, node?.functions ?? []);
    return { components, worlds, mapStack, node, readsVariables: () => hasRead };
  } catch (error) {
    if (!(error instanceof ModuleLoadError)) throw error;
    const { message } = describeCopy(error.thrown, mapStack);
    throw new FunctionsLoadError(`The functions could not be loaded: ${message}`, {
      cause: error,
      needsVariables: hasRead,
    });
  }
}

/** Code without functions, for the time before the first is loaded. */
export function noCode(convex: ConvexGlobal): LoadedCode {
  const app = { path: appComponent, definition: "", variables: [], httpMounts: [], httpPrefix: null };
  const empty = {
    code: "({})",
    sourceMap: packMap("{}"),
    modules: [],
    mounts: [app],
    components: new Map(),
    node: null,
  };
  return loadCode(empty, null, { convex, variablesOf: () => ({}), now: Date.now });
}

function sourceMapsOf(bundle: Bundle): ReadonlyMap<string, PackedMap> {
  const scripts = [[appComponent, bundle] as const, ...bundle.components];
  return new Map([
    ...scripts.map(([definition, { sourceMap }]) => [scriptNameOf(definition), sourceMap] as const),
    ...(bundle.node === null ? [] : nodeSourceMaps(bundle.node)),
  ]);
}
