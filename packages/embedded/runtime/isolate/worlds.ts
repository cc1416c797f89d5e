import vm from "node:vm";
import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import type { ComponentMount } from "../components/component-mounts.ts";
import { executions } from "../execution/execution.ts";
import { copyThrown, type ThrownValue } from "../execution/thrown-value.ts";
import type { BundledScript, ModuleNamespace, NodeBundle } from "../source/bundled-script.ts";
import { scriptPrefix } from "../source/error-stacks.ts";
import { Realm, type RealmDeps } from "./realm.ts";
import { type CompiledModules, World } from "./world.ts";

/** The app's modules, and those of the components that it installs. */
export type Bundle = BundledScript & {
  /** The app first. */
  readonly mounts: readonly ComponentMount[];
  /** The components' scripts, by definition. */
  readonly components: ReadonlyMap<string, BundledScript>;
  /** The app's "use node" modules; null without any. */
  readonly node: NodeBundle | null;
};

/** The namespace objects of a component's modules, by module name. */
export type ModuleNamespaces = { readonly [module: string]: ModuleNamespace };

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
  return definition === appComponent ? `${scriptPrefix}bundle` : `${scriptPrefix}bundle/${definition}`;
}

/** Realms that are made ahead while nothing else happens. */
const maxBlank = 4;

/** A module of the app or of an installed component. */
type ModulePath = { readonly component: ComponentPath; readonly module: string };

/** A run's use of a world. */
export type Visit = {
  /** The world. The first call takes or makes it. */
  readonly world: () => World;
  /** Ends the visit. After a failure, no other run begins in this world. */
  readonly end: (succeeded: boolean) => void;
};

/**
 * Makes the worlds in which functions run: one for each run, or one for all runs of a module that shares it. One for each run
 * is slower, because each world compiles its code anew.
 */
export class Worlds {
  readonly #newRealm: () => Realm;
  readonly #modules: ReadonlyMap<ComponentPath, CompiledModules>;
  readonly #blank: Realm[] = [];
  /** By module. */
  readonly #shared = new Map<string, World>();
  #isPreparing = false;

  constructor(bundle: Bundle, deps: RealmDeps) {
    this.#newRealm = () => new Realm(deps);
    const scripts = [[appComponent, bundle] as const, ...bundle.components];
    const definitions = new Map(scripts.map(([name, script]) => [name, compiled(name, script)]));
    this.#modules = new Map(
      bundle.mounts.map(({ path, definition }) => [path, definitions.get(definition) as CompiledModules]),
    );
  }

  /** Evaluates all modules of a component, to read what they define. Throws ModuleLoadError. */
  loadAll(component: ComponentPath): ModuleNamespaces {
    const realm = this.#newRealm();
    realm.component = component;
    const modules = this.#modulesOf(component);
    try {
      return realm.whileLoading(() => {
        const world = new World(realm, modules);
        return Object.fromEntries([...modules.names].map((name) => [name, world.module(name)]));
      });
    } catch (thrown) {
      throw new ModuleLoadError(copyWithin(realm, thrown));
    }
  }

  /** Begins a run of a module's function. @param sharesWorld whether all runs of the module use one world. */
  visit({ component, module }: ModulePath, sharesWorld: boolean): Visit {
    if (!sharesWorld) return this.#ownWorld(component);
    const key = `${component}\n${module}`;
    let visited: World | null = null;
    return {
      world: () => {
        visited ??= this.#shared.get(key) ?? this.#newWorld(component);
        this.#shared.set(key, visited);
        return visited;
      },
      end: (succeeded) => {
        if (!succeeded && this.#shared.get(key) === visited) this.#shared.delete(key);
      },
    };
  }

  /** Lets no later run use a world that is there now. */
  forget(): void {
    this.#shared.clear();
  }

  #ownWorld(component: ComponentPath): Visit {
    let own: World | null = null;
    return { world: () => (own ??= this.#newWorld(component)), end: () => undefined };
  }

  #newWorld(component: ComponentPath): World {
    const realm = this.#blank.pop() ?? this.#newRealm();
    this.#prepare();
    realm.component = component;
    return new World(realm, this.#modulesOf(component));
  }

  /** Makes the next blank realms, one in each turn of the event loop. */
  #prepare(): void {
    if (this.#isPreparing || this.#blank.length >= maxBlank) return;
    this.#isPreparing = true;
    // The function that runs now may have no time left. Its ticks would throw while a later function's realm is made.
    executions.exit(() =>
      setImmediate(() => {
        this.#isPreparing = false;
        this.#blank.push(this.#newRealm());
        this.#prepare();
      }),
    );
  }

  #modulesOf(component: ComponentPath): CompiledModules {
    const modules = this.#modules.get(component);
    if (modules === undefined) throw new Error(`There is no component ${component}.`);
    return modules;
  }
}

function compiled(definition: string, { code, modules }: BundledScript): CompiledModules {
  return {
    script: new vm.Script(code, { filename: scriptNameOf(definition) }),
    names: new Set(modules),
  };
}

/** Copies a value that a module threw, within a time limit: reading it may run the module's code. */
function copyWithin(realm: Realm, thrown: unknown): ThrownValue {
  try {
    return realm.whileLoading(() => copyThrown(thrown));
  } catch {
    return { kind: "value", text: "an error that cannot be read: its code takes too long" };
  }
}
