import type vm from "node:vm";
import { executions, isTransactional } from "../execution/execution.ts";
import { executionTicks } from "../execution/user-time.ts";
import { type FileBody, fileOfModule, type ModuleNamespace } from "../source/bundled-script.ts";
import type { Realm } from "./realm.ts";

/** The compiled modules of a component. */
export type CompiledModules = {
  readonly script: vm.Script;
  /** The position of each module in the script, by name. */
  readonly positions: ReadonlyMap<string, number>;
};

/** A realm in which modules of one component are evaluated. The first use of a module evaluates it and what it imports. */
export class World {
  readonly #positions: ReadonlyMap<string, number>;
  readonly #bodies: { readonly [file: string]: FileBody };
  readonly #evaluated = new Map<string, { exports: ModuleNamespace }>();
  #evaluating = false;

  constructor(realm: Realm, { script, positions }: CompiledModules) {
    this.#positions = positions;
    this.#bodies = realm.evaluate(script) as { readonly [file: string]: FileBody };
  }

  /** The exports of a module. Throws what the module throws while it is evaluated. */
  module(name: string): ModuleNamespace {
    const position = this.#positions.get(name);
    if (position === undefined) throw new Error(`There is no module ${name}.`);
    this.#evaluating = true;
    try {
      return this.#require(fileOfModule(position));
    } finally {
      this.#evaluating = false;
    }
  }

  readonly #require = (file: string): ModuleNamespace => {
    const known = this.#evaluated.get(file);
    if (known !== undefined) return known.exports;
    if (!this.#evaluating) checkImport();
    const module = { exports: {} };
    this.#evaluated.set(file, module);
    this.#bodies[file]?.(this.#require, module, executionTicks);
    return module.exports;
  };
}

/** A function may call `import()` only in actions, as on Convex. */
function checkImport(): void {
  const execution = executions.getStore();
  if (execution !== undefined && isTransactional(execution)) {
    throw new Error("Can't use import() in queries and mutations. Please consider using an action.");
  }
}
