import vm from "node:vm";
import { MODULES_GLOBAL, type Bundle } from "./bundle.ts";
import type { EnvironmentVariables } from "./environment-variables.ts";
import { sharedGlobals } from "./isolate-globals.ts";
import { bridgeRealms } from "./realm-bridge.ts";
import { installDeterminism } from "./isolate-determinism.ts";
import type { ConvexGlobal } from "./syscalls/convex-global.ts";

/** Where code of the bundle stands in stack traces. */
export const BUNDLE_SCRIPT = "convex:bundle";

const LOAD_TIMEOUT_MS = 10_000;

/** The namespace objects of the bundle's modules, by module name. */
export type ModuleNamespaces = { readonly [module: string]: { readonly [name: string]: unknown } };

/** The bundle's modules threw while they were loaded. */
export class ModuleLoadError extends Error {
  override readonly name = "ModuleLoadError";
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    super("The functions could not be loaded", { cause: thrown });
    this.thrown = thrown;
  }
}

/**
 * Loads a bundle into a context of its own, which offers what Convex's default runtime offers and nothing of
 * Node. It separates globals, not trust: the code is the operator's own. Throws ModuleLoadError.
 */
export function loadBundle(
  bundle: Bundle,
  convex: ConvexGlobal,
  env: EnvironmentVariables,
): ModuleNamespaces {
  const context = vm.createContext({ Convex: convex, ...sharedGlobals(env) });
  const intrinsic = (name: string): unknown => vm.runInContext(name, context) as unknown;
  context["self"] = intrinsic("globalThis");
  bridgeRealms(intrinsic);
  installDeterminism(context, intrinsic);
  const script = new vm.Script(bundle.code, { filename: BUNDLE_SCRIPT });
  try {
    script.runInContext(context, { timeout: LOAD_TIMEOUT_MS });
  } catch (thrown) {
    throw new ModuleLoadError(thrown);
  }
  return context[MODULES_GLOBAL] as ModuleNamespaces;
}
