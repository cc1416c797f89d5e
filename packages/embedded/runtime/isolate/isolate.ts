import { setFlagsFromString } from "node:v8";
import vm from "node:vm";
import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import type { ComponentMount } from "../components/component-mounts.ts";
import type { ComponentVariables } from "../components/component-variables.ts";
import { copyThrown, type ThrownValue } from "../execution/thrown-value.ts";
import { executionTicks } from "../execution/user-time.ts";
import { type BundledScript, modulesGlobal } from "../source/bundle-script.ts";
import { ticksGlobal } from "../source/loop-ticks.ts";
import type { ConvexGlobal } from "../syscalls/convex-global.ts";
import { installDeterminism } from "./isolate-determinism.ts";
import { sharedGlobals } from "./isolate-globals.ts";
import { bridgeRealms } from "./realm-bridge.ts";

// To display an error, Node reads its stack, which no time limit covers.
const loadingOptions = { timeout: 10_000, displayErrors: false };
const copyGlobal = "__convexCopyThrown";

// A tick cannot be put into a regular expression. One that backtracks too much continues in V8's linear engine,
// unless it has a back reference or a look-around.
setFlagsFromString("--enable-experimental-regexp-engine-on-excessive-backtracks");

/** The app's modules, and those of the components that it installs. */
export type Bundle = BundledScript & {
  /** The app first. */
  readonly mounts: readonly ComponentMount[];
  /** The components' scripts, by definition. */
  readonly components: ReadonlyMap<string, BundledScript>;
};

/** The namespace objects of a component's modules, by module name. */
export type ModuleNamespaces = { readonly [module: string]: { readonly [name: string]: unknown } };

/** A module of the bundle threw while it was loaded. */
export class ModuleLoadError extends Error {
  override readonly name = "ModuleLoadError";
  readonly thrown: ThrownValue;

  constructor(thrown: ThrownValue) {
    super("The functions could not be loaded");
    this.thrown = thrown;
  }
}

/** Returns the script name of a definition in stack traces; "" is the app's definition. */
export function scriptNameOf(definition: string): string {
  return definition === appComponent ? "convex:bundle" : `convex:bundle/${definition}`;
}

/**
 * Loads a bundle into a separate context, with the globals of Convex's default runtime and none of Node's. The
 * context is not a sandbox against attackers: the code is the operator's own. Each component's modules are
 * evaluated once per installation, so that installations share no state. Throws ModuleLoadError.
 */
export function loadBundle(
  bundle: Bundle,
  convex: ConvexGlobal,
  env: ComponentVariables,
): ReadonlyMap<ComponentPath, ModuleNamespaces> {
  let loading: ComponentPath = appComponent;
  // If we passed a global object, each access of `JSON` or `Object` would cross into Node.
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  Object.assign(context, { Convex: convex, ...sharedGlobals(env, () => loading) });
  const intrinsic = (name: string): unknown => vm.runInContext(name, context) as unknown;
  context[ticksGlobal] = executionTicks;
  context["self"] = intrinsic("globalThis");
  bridgeRealms(intrinsic);
  installDeterminism(context, intrinsic);
  const scripts = compile(bundle);
  const namespaces = new Map<ComponentPath, ModuleNamespaces>();
  for (const { path, definition } of bundle.mounts) {
    loading = path;
    try {
      scripts.get(definition)?.runInContext(context, loadingOptions);
    } catch (thrown) {
      throw new ModuleLoadError(copyWithin(context, thrown));
    }
    namespaces.set(path, context[modulesGlobal] as ModuleNamespaces);
  }
  return namespaces;
}

/** Copies a value that a module threw, within a time limit: reading it may run the module's code. */
function copyWithin(context: vm.Context, thrown: unknown): ThrownValue {
  context[copyGlobal] = () => copyThrown(thrown);
  try {
    return vm.runInContext(`${copyGlobal}()`, context, loadingOptions) as ThrownValue;
  } catch {
    return { kind: "value", text: "an error that cannot be read: its code takes too long" };
  }
}

function compile(bundle: Bundle): ReadonlyMap<string, vm.Script> {
  const codes = [[appComponent, bundle] as const, ...bundle.components];
  return new Map(
    codes.map(([definition, { code }]) => {
      return [definition, new vm.Script(code, { filename: scriptNameOf(definition) })] as const;
    }),
  );
}
