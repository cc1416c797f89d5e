import { FunctionsLoadError } from "../runtime/code/loaded-code.ts";
import type { LoadedNodeActions } from "../runtime/node/load-node-actions.ts";
import type { NodeActions } from "../runtime/node/node-actions.ts";
import type { NodeBundle } from "../runtime/source/bundled-script.ts";
import type { Shutdown } from "./shutdown.ts";

/**
 * Loads the "use node" modules of each code that the deployment gets. Ends their processes with the backend. The returned
 * function rejects with FunctionsLoadError.
 */
export function nodeLoader(
  env: () => { readonly [name: string]: string },
  shutdown: Shutdown,
): (bundle: NodeBundle) => Promise<LoadedNodeActions> {
  // Code that was replaced may be collected; its processes keep it until they end.
  const runners = new Set<WeakRef<NodeActions>>();
  shutdown.afterward(async () => {
    await Promise.all([...runners].map(async (runner) => runner.deref()?.close()));
  });
  return async (bundle) => {
    // Few projects need it.
    const { loadNodeActions } = await import("../runtime/node/load-node-actions.ts");
    const loaded = await loadNodeActions({ bundle, env });
    if (loaded.kind === "failed") {
      const { message, needsVariables } = loaded;
      throw new FunctionsLoadError(`The functions could not be loaded: ${message}`, { needsVariables });
    }
    for (const runner of runners) if (runner.deref() === undefined) runners.delete(runner);
    runners.add(new WeakRef(loaded.runner));
    return loaded;
  };
}
