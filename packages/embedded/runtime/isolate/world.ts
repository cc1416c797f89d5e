import type vm from "node:vm";
import { executions, isTransactional } from "../execution/execution.ts";
import { executionTicks } from "../native/ticks.ts";
import { type FileBody, fileOf, importedFile, type ModuleNamespace } from "../source/bundled-script.ts";
import type { Realm } from "./realm.ts";

/** The compiled modules of a component. */
export type CompiledModules = {
  readonly script: vm.Script;
  /** The names of the modules. */
  readonly names: ReadonlySet<string>;
};

/** A realm in which modules of one component are evaluated. The first use of a module evaluates it and what it imports. */
export class World {
  readonly #names: ReadonlySet<string>;
  readonly #bodies: { readonly [file: string]: FileBody };
  readonly #evaluated = new Map<string, { exports: ModuleNamespace }>();
  #evaluating = false;

  constructor(realm: Realm, { script, names }: CompiledModules) {
    this.#names = names;
    this.#bodies = realm.evaluate(script) as { readonly [file: string]: FileBody };
  }

  /** The exports of a module. Throws what the module throws while it is evaluated. */
  module(name: string): ModuleNamespace {
    if (!this.#names.has(name)) throw new Error(`There is no module ${name}.`);
    this.#evaluating = true;
    try {
      return this.#evaluate(fileOf(`${name}.js`));
    } finally {
      this.#evaluating = false;
    }
  }

  #evaluate(file: string): ModuleNamespace {
    const known = this.#evaluated.get(file);
    if (known !== undefined) return known.exports;
    if (!this.#evaluating) checkImport();
    const module = { exports: {} };
    this.#evaluated.set(file, module);
    const require = (specifier: string) => this.#evaluate(importedFile(file, specifier));
    this.#bodies[file]?.(require, module, executionTicks);
    return module.exports;
  }
}

/** A function may call `import()` only in actions, as on Convex. */
function checkImport(): void {
  const execution = executions.getStore();
  if (execution !== undefined && isTransactional(execution)) {
    throw new Error("Can't use import() in queries and mutations. Please consider using an action.");
  }
}
