import type { Engine } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import type { LoadedComponents } from "../bundle/loaded-components.ts";
import { checkChangedTables, checkTables } from "../checks/verified-tables.ts";
import type { ComponentMount } from "../components/component-mounts.ts";
import { componentVariables } from "../components/component-variables.ts";
import type { EnvironmentVariables } from "../components/environment-variables.ts";
import type { ConvexGlobal } from "../contract/convex-global.ts";
import { guardRejections } from "../execution/uncaught.ts";
import { hideBackendPaths } from "../isolate/protect-backend.ts";
import type { Bundle, Worlds } from "../isolate/worlds.ts";
import type { LoadedNodeActions } from "../node/load-node-actions.ts";
import type { BundledScript } from "../source/bundled-script.ts";
import type { StackMapper } from "../source/stack-trace.ts";
import type { DeployGate } from "./deploy-gate.ts";
import { loadCode, type LoadedCode, noCode } from "./loaded-code.ts";

type CurrentCodeDeps = {
  readonly engine: Engine;
  readonly gate: DeployGate;
  readonly convex: ConvexGlobal;
  readonly env: EnvironmentVariables;
};

/** The code that functions run with. A deploy replaces it while clients stay connected. */
export class CurrentCode {
  readonly #deps: CurrentCodeDeps;
  #code: LoadedCode;

  constructor(deps: CurrentCodeDeps) {
    this.#deps = deps;
    this.#code = noCode(deps.convex);
  }

  get components(): LoadedComponents {
    return this.#code.components;
  }

  get worlds(): Worlds {
    return this.#code.worlds;
  }

  get node(): LoadedNodeActions | null {
    return this.#code.node;
  }

  get mapStack(): StackMapper {
    return this.#code.mapStack;
  }

  /** Evaluates the modules of a bundle, but runs nothing with them yet. Throws FunctionsLoadError or ModuleShapeError. */
  load(bundle: Bundle, node: LoadedNodeActions | null = null): LoadedCode {
    return this.#load(bundle, node, bundle.mounts);
  }

  /** Evaluates a script as code of a component, with the component's variables. Throws FunctionsLoadError. */
  loadAside(script: BundledScript, component: ComponentPath): LoadedCode {
    const app = { path: component, definition: "", variables: [], httpMounts: [], httpPrefix: null };
    const bundle = { ...script, mounts: [app], components: new Map<string, BundledScript>(), node: null };
    return this.#load(bundle, null, this.components.all);
  }

  #load(bundle: Bundle, node: LoadedNodeActions | null, mounts: readonly ComponentMount[]): LoadedCode {
    const { engine, convex, env } = this.#deps;
    const variablesOf = componentVariables(mounts, env);
    return loadCode(bundle, node, { convex, variablesOf, now: () => engine.now() });
  }

  /** Throws SchemaMismatchError if stored documents do not fit the schema of this code. */
  check(code: LoadedCode): void {
    checkTables(this.#deps.engine, code.components.all);
  }

  /** Makes the tables that the backend itself needs, and leaves all others as they are. */
  startWithout(): void {
    const { engine } = this.#deps;
    const own = this.#code.components.tables;
    const names = new Set(own.map(({ name }) => name));
    engine.applySchema([...engine.tables().filter(({ name }) => !names.has(name)), ...own]);
  }

  /** Runs this code, while no function runs. Throws SchemaMismatchError; the present code stays then. */
  start(code: LoadedCode): void {
    const { engine } = this.#deps;
    checkChangedTables(engine, code.components.all, () => engine.applySchema(code.components.tables));
    this.#code.node?.runner.retire();
    this.#code = code;
    guardRejections(code.mapStack);
    hideBackendPaths();
  }

  /**
   * Runs this code from now on. Running queries and mutations end first, and actions go on with their own code. All live
   * queries run again. Rejects with SchemaMismatchError; the present code stays then.
   */
  async deploy(code: LoadedCode): Promise<void> {
    await this.#deps.gate.alone(() => {
      this.start(code);
      this.#deps.engine.renew();
    });
  }
}
